import { expect, test } from 'bun:test'
import { BEACON_WORDS, beaconSentence, palanquinOf, placeInWords } from './beacon-sentence'
import { LANGUAGES } from './language'

const nowMs = Date.parse('2026-04-17T14:05:00Z')
const timezone = 'Asia/Taipei'
const place = { county: { zh: '臺中市', en: 'Taichung City' }, town: { zh: '大甲區', en: 'Dajia District' } }
const moving = { place, state: 'moving', restingSince: null, speedKmh: 4.3 } as const
const at = (agoMs: number) => new Date(nowMs - agoMs).toISOString()

test('a sentence says where it is, what it does and how old that is, in both languages', () => {
  const beacon = { ...moving, recordedAt: at(20_000) }
  expect(beaconSentence(beacon, { language: 'zh-TW', timezone, nowMs })).toEqual({
    where: '鑾轎在臺中市大甲區',
    motion: '行進中，時速 4 公里',
    age: '20 秒前更新',
    isStale: false,
  })
  expect(beaconSentence(beacon, { language: 'en', timezone, nowMs })).toEqual({
    where: 'The palanquin is in Dajia District, Taichung City',
    motion: 'On the move at 4 km/h',
    age: 'Updated 20 s ago',
    isStale: false,
  })
})

test('after a minute it may have moved on, and after ten its signal is lost', () => {
  const sentence = (agoMs: number) =>
    beaconSentence({ ...moving, recordedAt: at(agoMs) }, { language: 'zh-TW', timezone, nowMs })
  expect(sentence(60_000)).toMatchObject({ age: '1 分鐘前更新', isStale: false })
  expect(sentence(61_000)).toMatchObject({ age: '這是 1 分鐘前的資料，可能已經移動。', isStale: true })
  expect(sentence(600_000)).toMatchObject({ motion: '行進中，時速 4 公里' })
  expect(sentence(600_001)).toMatchObject({ motion: '訊號中斷，這是最後的位置' })
})

test('a rest is described with its time in the time zone of the event', () => {
  const beacon = { ...moving, state: 'resting', speedKmh: null, recordedAt: at(0) } as const
  const reader = { language: 'zh-TW', timezone, nowMs } as const
  expect(beaconSentence({ ...beacon, restingSince: at(3_600_000) }, reader).motion).toBe('停駕，從 21:05 起')
  expect(beaconSentence({ ...beacon, restingSince: at(48 * 3_600_000) }, reader).motion).toContain('4/15')
})

test('at sea there is no town', () => {
  const beacon = { ...moving, place: null, recordedAt: at(0) }
  expect(placeInWords(beacon, 'en')).toBe('at sea or abroad')
  const where = LANGUAGES.map((language) => beaconSentence(beacon, { language, timezone, nowMs }).where)
  expect(where).toEqual(['鑾轎在海上或國外', 'The palanquin is at sea or abroad'])
})

test('the palanquin is shown, and without one the first beacon; both languages have every word', () => {
  const [shuttle, palanquin] = [{ kind: 'shuttle' }, { kind: 'palanquin' }] as const
  expect(palanquinOf([shuttle, palanquin])).toBe(palanquin)
  expect(palanquinOf([shuttle])).toBe(shuttle)
  expect([palanquinOf([]), palanquinOf(null)]).toEqual([null, null])
  expect(Object.keys(BEACON_WORDS.en)).toEqual(Object.keys(BEACON_WORDS['zh-TW']))
})
