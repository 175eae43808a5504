import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '@palanquin/domain/language'
import { TEXTS } from './texts.ts'

/** Every text with its path; functions are called with one argument of each kind. */
function* textsIn(value: unknown, place: string): Generator<[place: string, text: string]> {
  if (typeof value === 'string') yield [place, value]
  else if (typeof value === 'function')
    for (const [index, args] of ARGUMENTS.entries()) yield [`${place}(${index})`, String(value(...args))]
  else for (const [name, inner] of Object.entries(value ?? {})) yield* textsIn(inner, `${place}.${name}`)
}
const FACTS = { km: 12.345, checkins: 3, title: '🧱 x' }
const ARGUMENTS: unknown[][] = [
  [Object.assign(Object('1'), FACTS), 'event'],
  [Object.assign(Object('2'), { ...FACTS, km: 0, checkins: 1 }), 'event'],
]
const placesOf = (value: unknown): string[] => [...textsIn(value, '')].map(([place]) => place).toSorted()

test('no text is missing in any language, and none is empty or says undefined', () => {
  for (const language of LANGUAGES) {
    expect(placesOf(TEXTS[language])).toEqual(placesOf(TEXTS['zh-TW']))
    for (const [place, text] of textsIn(TEXTS[language], language)) {
      expect({ place, text: text.trim() }).not.toEqual({ place, text: '' })
      expect({ place, broken: /undefined|null|NaN|\[object/.test(text) }).toEqual({ place, broken: false })
    }
  }
})

test('English is English but where it offers Chinese, and Chinese has no mainland words', () => {
  for (const [place, text] of textsIn(TEXTS.en, ''))
    if (!/welcome|otherLanguage|help|whichLanguage/.test(place))
      expect({ place, chinese: /\p{Script=Han}/u.test(text) }).toEqual({ place, chinese: false })
  for (const [place, text] of textsIn(TEXTS['zh-TW'], ''))
    expect({ place, foreign: /信息|短信|視頻|質量|您好啊|反饋|屏幕|點擊|发|这|图/.test(text) }).toEqual({
      place,
      foreign: false,
    })
})

describe('limits of LINE', () => {
  test.each([...LANGUAGES])('buttons in %s have 20 units at the most, and a confirmation 240', (language) => {
    const { buttons, eraseYes, eraseNo, eraseQuestion, links } = TEXTS[language]
    for (const label of [
      ...Object.values(buttons),
      eraseYes,
      eraseNo,
      ...Object.values(links).map(({ open }) => open),
    ])
      expect({ label, fits: label.length <= 20 }).toEqual({ label, fits: true })
    expect(eraseQuestion.length).toBeLessThanOrEqual(240)
  })
})
