import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readInbound } from '../inbox/inbound.ts'
import { readEvent } from './read-event.ts'

const NOW_MS = Date.parse('2026-05-01T15:00:00.000Z')
const RUNS = 300

const anything = fc.jsonValue({ maxDepth: 2 })
/** Mostly what LINE would send, now and then anything at all. */
const mostly = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: usual, weight: 9 }, { arbitrary: anything, weight: 1 })
const oneOf = (...words: string[]) => mostly(fc.constantFrom(...words))
const text = mostly(fc.string({ unit: 'binary', maxLength: 250 }))

const message = fc.record(
  {
    type: oneOf('text', 'image', 'location', 'sticker', 'video', 'card'),
    id: oneOf('468789577898262530', '../1', ''),
    text,
    title: text,
    address: text,
    latitude: mostly(fc.double()),
    longitude: mostly(fc.double()),
    mention: anything,
    contentProvider: anything,
    imageSet: anything,
  },
  { requiredKeys: ['type', 'id', 'text', 'latitude', 'longitude'] },
)
const event = fc.record(
  {
    type: oneOf('message', 'follow', 'unfollow', 'postback', 'beacon'),
    mode: oneOf('active', 'active', 'active', 'standby'),
    webhookEventId: oneOf('01H810YECXQQZ37VAXPF6H9E6T'),
    timestamp: mostly(fc.double()),
    source: mostly(
      fc.record({ type: oneOf('user', 'user', 'user', 'group'), userId: oneOf(`U${'0a'.repeat(16)}`) }),
    ),
    replyToken: text,
    message: mostly(message),
    postback: mostly(fc.record({ data: text })),
  },
  { requiredKeys: ['type', 'webhookEventId', 'source', 'message', 'postback'] },
)

test('any event at all is ignored, or kept as something that the inbox can read', () => {
  let kept = 0
  fc.assert(
    fc.property(fc.oneof({ arbitrary: event, weight: 19 }, { arbitrary: anything, weight: 1 }), (given) => {
      const inbound = readEvent(JSON.parse(JSON.stringify(given)), NOW_MS)
      if (!inbound) return
      kept++
      expect(readInbound(JSON.stringify(inbound))).toEqual(inbound)
      expect(() => new Date(inbound.atMs).toISOString()).not.toThrow()
    }),
    { numRuns: RUNS, seed: 20 },
  )
  expect(kept).toBeGreaterThan(RUNS / 5)
})
