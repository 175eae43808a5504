import { expect, describe as group, test } from 'bun:test'
import { LANGUAGES } from '@palanquin/domain/language'
import fc from 'fast-check'
import { languageOf } from './language.ts'

const languageFor = (query: string, accepted?: string) =>
  languageOf(
    new Request(`https://walk.example/map${query}`, {
      headers: accepted === undefined ? {} : { 'accept-language': accepted },
    }),
  )

group('the language of a page', () => {
  test.each([
    [undefined, 'zh-TW'],
    ['', 'zh-TW'],
    ['*', 'zh-TW'],
    ['ja, fr;q=0.9', 'zh-TW'],
    ['en', 'en'],
    ['en-GB,en;q=0.9,zh;q=0.8', 'en'],
    ['zh-CN', 'zh-TW'],
    ['ja, en;q=0.2', 'en'],
    ['en;q=0.3, zh-TW;q=0.9', 'zh-TW'],
    ['zh;q=0, en;q=0.1', 'en'],
    ['en;q=0', 'zh-TW'],
    ['EN-us ; q=1', 'en'],
    ['english', 'zh-TW'],
  ] as const)('Accept-Language: %p asks for %p', (accepted, expected) => {
    expect(languageFor('', accepted)).toBe(expected)
  })

  test.each([
    ['?lang=en', 'en'],
    ['?lang=en-US', 'en'],
    ['?lang=zh-TW', 'zh-TW'],
    ['?lang=ja', 'zh-TW'],
    ['?lang=', 'zh-TW'],
  ] as const)('%p goes before Accept-Language', (query, expected) => {
    expect(languageFor(query, expected === 'en' ? 'zh-TW' : 'en')).toBe(expected)
  })

  test('is one of ours whatever the header says', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]*$/), (header) => {
        expect(LANGUAGES).toContain(languageFor('', header))
      }),
      { seed: 15 },
    )
  })
})
