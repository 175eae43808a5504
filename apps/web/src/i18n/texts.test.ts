import { describe, expect, test } from 'bun:test'
import { fill } from '@palanquin/domain/fill-text'
import { LANGUAGES } from '@palanquin/domain/language'
import { KEEPSAKE_TEXTS } from './keepsake/texts.ts'
import { LOST_TEXTS } from './lost/texts.ts'
import { ME_TEXTS } from './me/texts.ts'
import { SETUP_TEXTS } from './setup/texts.ts'
import { textsOf } from './texts.ts'

const [first, ...others] = LANGUAGES
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
/** Those of a part stand apart, and may have the names of others. */
const prefixed = (part: string, texts: Record<string, string | string[]>) =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [`${part}.${key}`, text]))
/** Every text by its key; lists by key and index. */
const flat = (language: (typeof LANGUAGES)[number]): Map<string, string> =>
  new Map(
    Object.entries({
      ...textsOf(language),
      ...prefixed('me', ME_TEXTS[language]),
      ...prefixed('lost', LOST_TEXTS[language]),
      ...prefixed('keepsake', KEEPSAKE_TEXTS[language]),
      ...prefixed('setup', SETUP_TEXTS[language]),
    }).flatMap(([key, text]) =>
      Array.isArray(text)
        ? text.map((line, index) => [`${key}.${index}`, line] as const)
        : [[key, text] as const],
    ),
  )

describe('the texts of the pages', () => {
  test.each(LANGUAGES)('%s has no empty text', (language) => {
    expect([...flat(language)].filter(([, text]) => text.trim() === '')).toEqual([])
  })

  test.each(others)('%s has the keys of the first language, each with the same values in it', (language) => {
    const [reference, texts] = [flat(first), flat(language)]
    expect([...texts.keys()].sort()).toEqual([...reference.keys()].sort())
    for (const [key, text] of reference)
      expect([key, placeholders(texts.get(key) ?? '')]).toEqual([key, placeholders(text)])
  })

  test('a value that is missing leaves its name visible', () => {
    expect(fill('{n} km, {m}', { n: 3 })).toBe('3 km, {m}')
  })
})
