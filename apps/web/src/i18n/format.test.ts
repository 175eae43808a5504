import { describe, expect, test } from 'bun:test'
import { ageInWords, timeInWords } from '@palanquin/domain/time-in-words'
import { dateInWords, distanceInWords, walkingTimeInWords } from './format.ts'
import { textsOf } from './texts.ts'

const [zh, en] = [textsOf('zh-TW'), textsOf('en')]
const SECOND = 1_000
const [MINUTE, HOUR, DAY] = [60 * SECOND, 3_600 * SECOND, 86_400 * SECOND]

describe('ages', () => {
  test.each([
    [-5 * MINUTE, '剛剛', 'just now'],
    [0, '剛剛', 'just now'],
    [15 * SECOND - 1, '剛剛', 'just now'],
    [15 * SECOND, '15 秒前', '15 s ago'],
    [MINUTE - 1, '59 秒前', '59 s ago'],
    [MINUTE, '1 分鐘前', '1 min ago'],
    [HOUR - 1, '59 分鐘前', '59 min ago'],
    [HOUR, '1 小時前', '1 h ago'],
    [DAY - 1, '23 小時前', '23 h ago'],
    [2 * DAY, '2 天前', '2 d ago'],
  ])('%d ms are %s and %s', (ms, inChinese, inEnglish) => {
    expect([ageInWords(zh, ms), ageInWords(en, ms)]).toEqual([inChinese, inEnglish])
  })
})

describe('distances', () => {
  test.each([
    [0, '10 公尺'],
    [0.004, '10 公尺'],
    [0.347, '350 公尺'],
    [0.994, '990 公尺'],
    [0.999, '1 公里'],
    [1, '1 公里'],
    [2.34, '2.3 公里'],
    [9.94, '9.9 公里'],
    [9.96, '10 公里'],
    [123.4, '123 公里'],
    [1234.5, '1,235 公里'],
  ])('%d km are %s', (km, words) => {
    expect(distanceInWords(km, zh, 'zh-TW')).toBe(words)
  })
})

describe('walking times at 4 km/h', () => {
  test.each([
    [0, '1 分鐘', '1 min'],
    [0.2, '3 分鐘', '3 min'],
    [3.98, '1 小時 0 分', '1 h 0 min'],
    [10, '2 小時 30 分', '2 h 30 min'],
  ])('%d km take %s', (km, inChinese, inEnglish) => {
    expect([walkingTimeInWords(km, zh), walkingTimeInWords(km, en)]).toEqual([inChinese, inEnglish])
  })
})

describe('times in the time zone of the activity', () => {
  const at = Date.parse('2026-04-12T16:05:00Z')
  const timezone = 'Asia/Taipei'

  test('have their date unless it is today there, and midnight is 00', () => {
    for (const language of ['zh-TW', 'en'] as const) {
      const today = { language, timezone, nowMs: at + 5 * HOUR }
      expect(timeInWords(at, today)).toBe('00:05')
      const yesterday = timeInWords(at, { ...today, nowMs: at - HOUR })
      expect(yesterday).toContain('4/13')
      expect(yesterday).toContain('00:05')
    }
  })

  test('dates name the day and the hour', () => {
    expect(dateInWords(at, { language: 'en', timezone })).toMatch(/April 13, 2026.*00:05/)
    expect(dateInWords(at, { language: 'zh-TW', timezone })).toMatch(/2026.4.13.*00:05/)
  })
})
