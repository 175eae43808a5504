import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import { confirm } from './confirm.ts'
import { decodeEntry } from './decode.ts'
import { decodeLatest } from './decode-latest.ts'
import {
  ENTRY_FIELD,
  type EntryContent,
  type EntryFields,
  entryText,
  fieldsOf,
  KIND_LETTER,
} from './entry.ts'
import { BEFORE_ALL } from './entry-id.ts'
import { eraseBuffered } from './erase.ts'
import { countKey, flushedKey, pendingKey, pointsKey, waitingKey } from './keys.ts'
import { packTuples } from './pack-sync.ts'
import { readHead } from './read.ts'
import { repairShard } from './repair.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const NOW = 1_790_000_000_000
const SHARD = 0
const [ANNA = '', BERTA = ''] = Array.from({ length: 200 }, (_, i) => `pilgrim-${i}`).filter(
  (id) => shardOf(id) === SHARD,
)
const BOUNDS = { entries: 100, points: 1_000 }

let server: TestServer
let redis: Redis
beforeAll(async () => {
  server = await testRedis()
  redis = connectRedis({
    url: server.url,
    name: 'test',
    log: createLog({ service: 'test', level: 'silent' }),
  })
  await until(() => redis.isReady, { what: 'Redis' })
})
afterAll(async () => {
  redis.destroy()
  await server.close()
})
beforeEach(async () => {
  await redis.send(pointsKey(SHARD), ['FLUSHALL'])
})

/** As versions up to November 2026 wrote them. */
const sixFields = ({ userId, kind, source, receivedAt, count, packed }: EntryContent) => ({
  u: userId,
  k: KIND_LETTER[kind],
  s: source,
  r: String(receivedAt),
  n: String(count),
  p: packed,
})
const oneField = (content: EntryContent) => ({ [ENTRY_FIELD]: entryText(content) })

const checkin = (userId: string, minute: number): EntryContent => ({
  userId,
  kind: 'checkin',
  source: 'web',
  receivedAt: NOW,
  count: 1,
  packed: JSON.stringify([[NOW + minute * 60_000, 24, 120.6, null, null, null, null, null, 'a, b']]),
})
const sync = (userId: string): EntryContent => ({
  userId,
  kind: 'track',
  source: 'ios',
  receivedAt: NOW,
  ...packTuples([0, 1].map((minute) => [NOW + minute * 60_000, 24, 120.6, 8, null, null, null])),
})

/** Anna checks in twice and syncs, Berta syncs; every other entry is of the earlier form. */
const fill = async () => {
  const contents = [checkin(ANNA, 0), sync(ANNA), sync(BERTA), checkin(ANNA, 1)]
  for (const [at, content] of contents.entries())
    for (const fields of at % 2 === 0
      ? [sixFields(content), oneField(content)]
      : [oneField(content), sixFields(content)])
      await redis.xAdd(pointsKey(SHARD), '*', fields)
}

test('an entry comes back as it was written, whatever its source and its points', () => {
  const content = fc.record({
    userId: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
    kind: fc.constantFrom('checkin', 'track'),
    source: fc.string({ maxLength: 64 }).map((text) => text.replaceAll(',', ' ')),
    receivedAt: fc.nat({ max: 2 * NOW }),
    count: fc.integer({ min: 1, max: 1_000 }),
    packed: fc.oneof(
      fc.string(),
      fc.array(fc.string()).map((notes) => JSON.stringify(notes)),
    ),
  })
  fc.assert(
    fc.property(content, (given) => {
      expect(fieldsOf(oneField(given))).toEqual(sixFields(given))
      expect(fieldsOf(sixFields(given))).toEqual(sixFields(given))
    }),
    { seed: 20261125, numRuns: 1_000 },
  )
})

test('an entry that is cut off or is none of ours is read as it stands, and set aside whole', () => {
  const text = entryText(sync(ANNA))
  const messages = [
    ...Array.from({ length: text.lastIndexOf(',') }, (_, end) => ({ [ENTRY_FIELD]: text.slice(0, end) })),
    { nothing: 'at all' },
    {},
  ]
  for (const message of messages) {
    const entry = { id: '1-0', fields: fieldsOf(message) }
    expect<EntryFields>(entry.fields).toEqual(message)
    expect(decodeEntry(entry, SHARD)).toMatchObject({ points: [], setAside: [{ position: -1 }] })
    expect(decodeLatest(entry, SHARD)).toBeNull()
  }
})

test('the buffer of an earlier version is read, stored and confirmed', async () => {
  await fill()
  expect(await repairShard(redis, { shard: SHARD, cursor: BEFORE_ALL, version: 0 })).toBe('kept')
  expect(await redis.get(countKey(SHARD))).toBe('12')
  expect((await redis.sMembers(waitingKey(SHARD))).sort()).toEqual([ANNA, BERTA].sort())

  const entries = await readHead(redis, SHARD, BOUNDS)
  const decoded = entries.map((entry) => decodeEntry(entry, SHARD))
  expect(decoded.map(({ points }) => points.length)).toEqual([1, 1, 2, 2, 2, 2, 1, 1])
  expect(decoded.flatMap(({ setAside }) => setAside)).toEqual([])
  const checkins = [0, 1, 6, 7].map((at) => `${entries[at]?.id}|${NOW + (at > 1 ? 60_000 : 0)}`)
  expect(await redis.lRange(pendingKey(ANNA), 0, -1)).toEqual(checkins)

  const part = entries.slice(0, 6)
  const cursor = part.at(-1)?.id ?? ''
  expect(await confirm(redis, { shard: SHARD, entries: part, cursor, version: 1 })).toBe(true)
  expect(await readHead(redis, SHARD, BOUNDS)).toEqual(entries.slice(6))
  expect(await redis.get(countKey(SHARD))).toBe('2')
  expect(await redis.get(flushedKey(SHARD))).toBe(`${cursor}|1`)
  expect(await redis.sMembers(waitingKey(SHARD))).toEqual([])
  expect(await redis.lRange(pendingKey(ANNA), 0, -1)).toEqual(checkins.slice(2))
})

test('an erasure removes the entries of both forms, and no others', async () => {
  await fill()
  await redis.set(countKey(SHARD), '12')
  const upTo = (await readHead(redis, SHARD, BOUNDS)).at(-1)?.id ?? ''
  expect(await eraseBuffered(redis, ANNA, { at: NOW, upTo })).toBe(8)
  const left = await readHead(redis, SHARD, BOUNDS)
  expect(left.map(({ fields }) => fields.u)).toEqual([BERTA, BERTA])
  expect(await redis.get(countKey(SHARD))).toBe('4')
})

test('a confirmation drops the pending check-ins up to its entries, and keeps those of later ones', async () => {
  const id = String(await redis.xAdd(pointsKey(SHARD), '*', oneField(checkin(ANNA, 0))))
  const later = `${Number(id.split('-')[0]) + 1}-0|${NOW}`
  const lists = [[], [later], [`1-0|${NOW}`, `2-5|${NOW}`, later], [`1-0|${NOW}`, `${id}|${NOW}`, later]]
  for (const list of lists) {
    await redis.del([pendingKey(ANNA), pointsKey(SHARD)])
    await redis.xAdd(pointsKey(SHARD), id, oneField(checkin(ANNA, 0)))
    if (list.length > 0) await redis.rPush(pendingKey(ANNA), list)
    const entries = await readHead(redis, SHARD, BOUNDS)
    expect(await confirm(redis, { shard: SHARD, entries, cursor: id, version: 1 })).toBe(true)
    expect(await redis.lRange(pendingKey(ANNA), 0, -1)).toEqual(list.includes(later) ? [later] : [])
  }
})
