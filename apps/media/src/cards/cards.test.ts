import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type CardHarness, cardHarness } from '../../test/card-harness.ts'
import { profileOf } from '../../test/profile.ts'
import { startThread } from '../worker-pool/worker.ts'
import type { CardWorker } from './render/card-pool.ts'
import { contentOf } from './render/content.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** Threads that return an empty image at once: these tests are not about the image. */
const quick = (): CardWorker => startThread(new URL('../../test/faulty-card-worker.ts', import.meta.url))

let harness: CardHarness
beforeEach(async () => {
  harness = await cardHarness({ startThread: quick })
})
afterEach(() => harness.close())

const status = async (path: string, from: Pick<CardHarness, 'call'> = harness) =>
  (await from.call(path)).status
const rows = () => harness.sql`SELECT user_id, object_key FROM media.cards`

test('concurrent requests for a card render it once', async () => {
  harness.profiles.set('popular', {})
  const answers = await Promise.all(Array.from({ length: 40 }, () => harness.call('/og/popular.png')))
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 40 }, () => 200))
  expect(await harness.rendered()).toBe(1)
  expect((await harness.keys()).length).toBe(1)
})

test('unchanged figures are not rendered again by any process', async () => {
  harness.profiles.set('steady', {})
  const etag = (await harness.call('/og/steady.png')).headers.get('etag')
  const other = harness.another()
  expect((await other.call('/og/steady.png')).headers.get('etag')).toBe(etag)
  expect([await harness.rendered(), await other.rendered()]).toEqual([1, 0])
})

test('processes that render the same card at once leave one row and one object', async () => {
  harness.profiles.set('contested', {})
  const processes = [harness, ...Array.from({ length: 4 }, () => harness.another())]
  const answers = await Promise.all(processes.map(({ call }) => call('/og/contested.png')))
  expect(answers.every((answer) => answer.status === 200)).toBe(true)
  await harness.cards.sweep({ graceS: 0 })
  expect((await rows()).map((row) => row.object_key)).toEqual(await harness.keys())
  expect(await harness.sql`SELECT FROM media.card_leftovers`).toHaveLength(0)
})

test('a replaced card can still be read, and is deleted minutes later', async () => {
  harness.profiles.set('grows', { checkins: 12 })
  await harness.call('/og/grows.png')
  harness.profiles.set('grows', { checkins: 13 })
  await harness.call('/og/grows.png')
  await harness.cards.sweep()
  expect((await harness.keys()).length).toBe(2)
  await harness.sql`UPDATE media.card_leftovers SET at = at - interval '11 minutes'`
  await harness.cards.sweep()
  expect((await rows()).map((row) => row.object_key)).toEqual(await harness.keys())
})

test('an object store that is away: 503 with Retry-After, no row without its object, and cached cards are served', async () => {
  harness.profiles.set('known', {})
  harness.profiles.set('new', {})
  await harness.call('/og/known.png')
  harness.away()
  const refused = await harness.call('/og/new.png')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await status('/og/known.png')).toBe(200)
  expect((await rows()).map((row) => row.user_id)).toEqual(['known'])
  harness.back()
  await until(async () => (await status('/og/new.png')) === 200, { what: 'a card after the return' })
})

test('an object that the store has lost is rendered again', async () => {
  harness.profiles.set('lost', {})
  await harness.call('/og/lost.png')
  await harness.objects.remove(await harness.keys())
  expect(await status('/og/lost.png', harness.another())).toBe(200)
  expect((await rows()).map((row) => row.object_key)).toEqual(await harness.keys())
})

test('without engagement the latest card is served, and none is rendered', async () => {
  harness.profiles.set('known', {})
  harness.profiles.set('new', {})
  const etag = (await harness.call('/og/known.png')).headers.get('etag') ?? ''
  harness.engagement.away = true
  const other = harness.another()
  for (const from of [harness, other]) {
    const answer = await from.call('/og/known.png')
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, etag])
    expect((await from.call('/og/known.png', { headers: { 'if-none-match': etag } })).status).toBe(304)
  }
  const refused = await harness.call('/og/new.png')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
})

test('the names of objects do not reveal the userId, and the content of a card holds no phone number', async () => {
  harness.profiles.set('U4af4980629c1f0b8d3e5a7c6b9d0e1f2', { unlocked: true })
  await harness.call('/og/U4af4980629c1f0b8d3e5a7c6b9d0e1f2.png')
  expect((await harness.keys()).join()).not.toContain('4af4980629')
  const profile = {
    ...profileOf('U4af4980629c1f0b8d3e5a7c6b9d0e1f2', { unlocked: true }),
    phone: '+886912345678',
  }
  const content = JSON.stringify(contentOf(profile, { nameZh: '進香', nameEn: 'Pilgrimage', dates: null }))
  expect(content).not.toMatch(/4af4980629|886|5678/)
})

test('an erasure deletes all rows and objects of the participant, and none of others', async () => {
  for (const who of ['gone', 'stays']) {
    harness.profiles.set(who, { checkins: 5 })
    await harness.call(`/og/${who}.png`)
    harness.profiles.set(who, { checkins: 6 })
    await harness.call(`/og/${who}.png`)
  }
  await harness.sql`INSERT INTO media.card_orders (user_id) VALUES ('gone')`
  await harness.sql`INSERT INTO media.card_shares (user_id, share_id) VALUES ('gone', 'a'), ('stays', 'b')`
  harness.profiles.delete('gone')
  expect(await harness.cards.erase('gone')).toEqual({ cards: 1, cardPictures: 2 })
  expect((await harness.keys()).length).toBe(2)
  for (const table of ['cards', 'card_leftovers', 'card_orders', 'card_shares'])
    expect(await harness.sql.unsafe(`SELECT FROM media.${table} WHERE user_id = 'gone'`)).toHaveLength(0)
  expect([await status('/og/gone.png'), await status('/c/a.png')]).toEqual([404, 404])
  expect(await status('/c/b.png')).toBe(200)
  expect(await harness.cards.erase('gone')).toEqual({ cards: 0, cardPictures: 0 })
})

test('a card that is being stored while its participant is erased is not published', async () => {
  harness.profiles.set('racing', {})
  const put = harness.objects.put
  harness.objects.put = async (...given) => {
    harness.profiles.delete('racing')
    await harness.cards.erase('racing')
    await put(...given)
  }
  expect(await status('/og/racing.png')).toBe(404)
  expect(await rows()).toHaveLength(0)
  expect(await harness.keys()).toEqual([])
})
