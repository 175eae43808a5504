import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { type CardStand, cardStand } from '../../test/card-harness.ts'
import { startThread } from '../worker-pool/worker.ts'
import type { CardWorker } from './render/card-pool.ts'

setDefaultTimeout(HANG_MS)

/** Threads that draw an empty picture at once: what is told here is not about the picture. */
const quick = (): CardWorker => startThread(new URL('../../test/faulty-card-worker.ts', import.meta.url))

let stand: CardStand
beforeEach(async () => {
  stand = await cardStand({ startThread: quick })
})
afterEach(() => stand.close())

const status = async (path: string, from: Pick<CardStand, 'call'> = stand) => (await from.call(path)).status
const rows = () => stand.sql`SELECT user_id, object_key FROM media.cards`

test('however many ask for a card at once, one is made', async () => {
  stand.people.set('popular', {})
  const answers = await Promise.all(Array.from({ length: 40 }, () => stand.call('/og/popular.png')))
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 40 }, () => 200))
  expect(await stand.drawn()).toBe(1)
  expect((await stand.keys()).length).toBe(1)
})

test('unchanged figures are not drawn again by any process', async () => {
  stand.people.set('steady', {})
  const etag = (await stand.call('/og/steady.png')).headers.get('etag')
  const other = stand.another()
  expect((await other.call('/og/steady.png')).headers.get('etag')).toBe(etag)
  expect([await stand.drawn(), await other.drawn()]).toEqual([1, 0])
})

test('processes that make the same card at once leave one row, one object of it, and no leftover for ever', async () => {
  stand.people.set('contested', {})
  const processes = [stand, ...Array.from({ length: 4 }, () => stand.another())]
  const answers = await Promise.all(processes.map(({ call }) => call('/og/contested.png')))
  expect(answers.every((answer) => answer.status === 200)).toBe(true)
  await stand.cards.sweep({ graceS: 0 })
  expect((await rows()).map((row) => row.object_key)).toEqual(await stand.keys())
  expect(await stand.sql`SELECT FROM media.card_leftovers`).toHaveLength(0)
})

test('a card that was replaced stays for who is reading it, and is deleted minutes after', async () => {
  stand.people.set('grows', { checkins: 12 })
  await stand.call('/og/grows.png')
  stand.people.set('grows', { checkins: 13 })
  await stand.call('/og/grows.png')
  await stand.cards.sweep()
  expect((await stand.keys()).length).toBe(2)
  await stand.sql`UPDATE media.card_leftovers SET at = at - interval '11 minutes'`
  await stand.cards.sweep()
  expect((await rows()).map((row) => row.object_key)).toEqual(await stand.keys())
})

test('an object store that is away: 503 with Retry-After, no row without its object, and a card in memory still answers', async () => {
  stand.people.set('known', {})
  stand.people.set('new', {})
  await stand.call('/og/known.png')
  await stand.s3.kill9()
  const refused = await stand.call('/og/new.png')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await status('/og/known.png')).toBe(200)
  expect((await rows()).map((row) => row.user_id)).toEqual(['known'])
  await stand.s3.restart()
  await until(async () => (await status('/og/new.png')) === 200, { what: 'a card after the return' })
})

test('an object that the store has lost is made again', async () => {
  stand.people.set('lost', {})
  await stand.call('/og/lost.png')
  await stand.objects.remove(await stand.keys())
  expect(await status('/og/lost.png', stand.another())).toBe(200)
  expect((await rows()).map((row) => row.object_key)).toEqual(await stand.keys())
})

test('without engagement the card that stands is shown, and none is made', async () => {
  stand.people.set('known', {})
  stand.people.set('new', {})
  const etag = (await stand.call('/og/known.png')).headers.get('etag') ?? ''
  stand.engagement.away = true
  const other = stand.another()
  for (const from of [stand, other]) {
    const answer = await from.call('/og/known.png')
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, etag])
    expect((await from.call('/og/known.png', { headers: { 'if-none-match': etag } })).status).toBe(304)
  }
  const refused = await stand.call('/og/new.png')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
})

test('nothing of the person is in the names of objects, and nothing of the phone number in what is drawn from', async () => {
  stand.people.set('U4af4980629c1f0b8d3e5a7c6b9d0e1f2', { unlocked: true })
  await stand.call('/og/U4af4980629c1f0b8d3e5a7c6b9d0e1f2.png')
  expect((await stand.keys()).join()).not.toContain('4af4980629')
})

test('erasing leaves no row and no object of the person, and all of the others', async () => {
  for (const who of ['gone', 'stays']) {
    stand.people.set(who, { checkins: 5 })
    await stand.call(`/og/${who}.png`)
    stand.people.set(who, { checkins: 6 })
    await stand.call(`/og/${who}.png`)
  }
  await stand.sql`INSERT INTO media.card_orders (user_id) VALUES ('gone')`
  stand.people.delete('gone')
  expect(await stand.cards.erase('gone')).toEqual({ cards: 1, cardPictures: 2 })
  expect((await stand.keys()).length).toBe(2)
  for (const table of ['cards', 'card_leftovers', 'card_orders'])
    expect(await stand.sql.unsafe(`SELECT FROM media.${table} WHERE user_id = 'gone'`)).toHaveLength(0)
  expect(await status('/og/gone.png')).toBe(404)
  expect(await stand.cards.erase('gone')).toEqual({ cards: 0, cardPictures: 0 })
})

test('a card that is being stored while its person is erased does not come to stand', async () => {
  stand.people.set('racing', {})
  const put = stand.objects.put
  stand.objects.put = async (...given) => {
    stand.people.delete('racing')
    await stand.cards.erase('racing')
    await put(...given)
  }
  expect(await status('/og/racing.png')).toBe(404)
  expect(await rows()).toHaveLength(0)
  expect(await stand.keys()).toEqual([])
})
