import { describe, expect, test } from 'bun:test'
import type { messagingApi } from '@line/bot-sdk'
import { LANGUAGES } from '@palanquin/domain/language'
import { levelAnswer } from '@palanquin/domain/level'
import type { Profile } from '@palanquin/domain/participant'
import { errorOfMessages } from '@palanquin/line-simulator/validation/line-error'
import { createLog } from '@palanquin/service/log'
import fc from 'fast-check'
import { cardAddresses } from '../../service-clients/card-address.ts'
import { answerInGroup } from '../in-group.ts'
import { linksOf } from '../links.ts'
import { TEXTS } from '../texts/texts.ts'
import { PAGE_OF } from '../vocabulary/command.ts'
import { cardMessages, eraseQuestion, linkMessage, plain } from './plain.ts'
import { quickReplies, withQuickReplies } from './quick-replies.ts'
import { statisticsMessage } from './statistics.ts'

const takes = (messages: readonly messagingApi.Message[]) => expect(errorOfMessages(messages)).toBeUndefined()
const links = linksOf({ liffUrl: undefined, baseUrl: 'https://walk.example/' })

const context = {
  links,
  timezone: 'Asia/Taipei',
  now: Date.now,
  log: createLog({ service: 'test', level: 'silent' }),
  beacons: { list: async () => [] },
  eventName: { 'zh-TW': 'event', en: 'event' },
}

const profileOf = (facts: { km: number; checkins: number; photos: number; kg: number }): Profile => ({
  userId: 'U1',
  displayName: null,
  pictureUrl: null,
  language: 'zh-TW',
  status: 'active',
  privacyConsent: true,
  surveyCompleted: 0,
  hasPhone: false,
  phone: null,
  distanceKm: facts.km,
  walkedKm: facts.km,
  motorizedKm: 0,
  checkins: facts.checkins,
  photos: facts.photos,
  level: levelAnswer(facts.km, facts.checkins),
  carbon: {
    travelKg: 0,
    trackedKg: 0,
    waterKg: 0,
    recycleKg: 0,
    hotelKg: 0,
    totalKg: 0,
    avoidedKg: facts.kg,
  },
  achievement: { unlocked: false, missing: [] },
  lastSeenAt: null,
})

describe.each([...LANGUAGES])('in %s LINE takes', (language) => {
  const texts = TEXTS[language]

  test('every plain text, with every row of buttons under it', () => {
    const said = [
      ...Object.values(texts).filter((text) => typeof text === 'string'),
      texts.welcome('名'.repeat(40), 'event'),
      texts.checkedIn('place '.repeat(40)),
      texts.groupHelp('event'),
    ]
    const rows = [
      quickReplies.all(texts, language),
      quickReplies.next(texts),
      quickReplies.location(texts),
      quickReplies.languages(),
      quickReplies.resume(texts),
    ]
    for (const text of said) for (const row of rows) takes(withQuickReplies([plain(text)], row))
  })

  test('the confirmation of an erasure, links, cards, and replies in groups', async () => {
    takes([eraseQuestion(texts, 1_777_000_000_000)])
    for (const name of ['map', 'walk', 'family', 'phones', 'lost', 'survey', 'feedback'] as const) {
      takes([linkMessage(texts.links[name], links.page(PAGE_OF[name]) ?? '')])
      takes([plain(texts.links[name].missing)])
    }
    const setup = links.setup('4f7Tq0bWc9KzR2mXv8LhDs', language) ?? ''
    takes([linkMessage({ ...texts.links.phones, text: texts.phoneLink }, setup)])
    takes(cardMessages(texts, 'https://walk.example/c/Zk3v0uQhJ5xW8yTtR2aNfg.png?v=1777000000000'))
    for (const text of ['where', 'map', 'lost', '里程', 'help', '', '？'])
      takes(await answerInGroup(text, context, { language, eventId: 'e1' }))
  })

  test('the figures of any distance, and they are those of the profile', () => {
    fc.assert(
      fc.property(
        fc.record({
          km: fc.integer({ min: 0, max: 900_000 }).map((m) => m / 1000),
          checkins: fc.integer({ min: 0, max: 60 }),
          photos: fc.integer({ min: 0, max: 9_999 }),
          kg: fc.integer({ min: 0, max: 99_999 }).map((g) => g / 1000),
        }),
        (facts) => {
          const profile = profileOf(facts)
          const message = statisticsMessage(
            texts,
            language,
            profile,
            facts.photos % 2 ? links.page('me') : null,
          )
          takes([message])
          const all = JSON.stringify(message)
          for (const figure of [
            profile.distanceKm,
            profile.checkins,
            profile.photos,
            profile.carbon.avoidedKg,
          ])
            expect(all).toContain(String(figure))
        },
      ),
      { seed: 7, numRuns: 200 },
    )
  })
})

test('pages open in LIFF where there is one', () => {
  const both = linksOf({ liffUrl: 'https://liff.line.me/1', baseUrl: 'https://walk.example' })
  expect(both.page('map')).toBe('https://liff.line.me/1/map')
  expect(links.page('map')).toBe('https://walk.example/map')
  expect(linksOf({ liffUrl: undefined, baseUrl: undefined }).page('map')).toBeNull()
})

test('pictures are never shown over plain http, and their address does not say whose they are', async () => {
  const media = { shareId: async () => 'a-share-id' }
  const card = { version: '2', requestId: 'r' }
  const at = (baseUrl: string | undefined) => cardAddresses({ media, baseUrl: () => baseUrl })('U1', card)
  expect(await at('https://walk.example/')).toBe('https://walk.example/c/a-share-id.png?v=2')
  expect([await at(undefined), await at('http://walk.example')]).toEqual([null, null])
})
