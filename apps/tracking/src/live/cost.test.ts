import { expect, setDefaultTimeout, test } from 'bun:test'
import type { BoundingBox } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { createLiveCrowd, processorMs } from '../../test/live-crowd.ts'
import { roundBoxOutward } from './responses/round-box.ts'
import type { MapQuery } from './responses/selection.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PARTICIPANTS = 33_000
const STREAMS = 900
const OPENED_AT_ONCE = 15
/** A step is one tick of all streams, which is a second. */
const STEPS = 5
const MOVED_A_STEP = 500

const EVERYTHING: MapQuery = { box: null, since: null, limit: null, includeHidden: false }
const boxOf = (i: number): BoundingBox => ({
  west: 120.2 + i / 10_000,
  south: 23.3 + i / 10_000,
  east: 121 + i / 10_000,
  north: 24.5 + i / 10_000,
})
const boxed = (i: number): MapQuery => ({ ...EVERYTHING, box: boxOf(i) })

/** Processor time of one tick of all streams, in ms. */
async function costOfStep(query: (i: number) => MapQuery): Promise<number> {
  const crowd = createLiveCrowd(PARTICIPANTS)
  const closes: (() => Promise<void>)[] = []
  let bytes = 0
  const open = async (i: number) => {
    const response = await crowd.streams.open('json', query(i))
    if (response instanceof ApiError) throw response
    const reader = response.body?.getReader()
    void (async () => {
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
        bytes += read.value.length
    })()
    closes.push(async () => void (await reader?.cancel()))
  }
  for (let i = 0; i < STREAMS; i += OPENED_AT_ONCE)
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, (_, more) => open(i + more)))
  // Until every first event is read.
  for (let last = -1; last !== bytes; await Bun.sleep(100)) last = bytes
  const before = bytes
  const taken = await processorMs(async () => {
    for (let step = 0; step < STEPS; step++) {
      crowd.walkOn(MOVED_A_STEP)
      crowd.streams.tick()
      await Bun.sleep(1)
    }
  })
  expect(bytes - before).toBeGreaterThan(STREAMS * STEPS * 1_000)
  await Promise.all(closes.map((close) => close()))
  return taken / STEPS
}

test('900 event streams, each with its own box, cost hardly more than 900 of the same box', async () => {
  const same = await costOfStep(() => EVERYTHING)
  const own = await costOfStep((i) => ({ ...boxed(i), box: roundBoxOutward(boxOf(i)) }))
  // A scan of all positions for each box took 3,500 ms.
  expect(own).toBeLessThan(4 * same + 150)
})

test('of 300 maps requested at once some are built, one after another, and the others get a 503 with Retry-After', async () => {
  const crowd = createLiveCrowd(PARTICIPANTS)
  const one = await processorMs(async () => {
    await crowd.responses.respond('json', boxed(0), { acceptsGzip: true })
  })
  const responses: (Response | ApiError)[] = []
  const all = await processorMs(async () => {
    responses.push(
      ...(await Promise.all(
        Array.from({ length: 300 }, (_, i) =>
          crowd.responses.respond('json', boxed(i + 1), { acceptsGzip: true }),
        ),
      )),
    )
  })
  const refused = responses.filter((response) => response instanceof ApiError)
  expect(responses.length - refused.length).toBe(18)
  expect(all).toBeLessThan(18 * 5 * one + 300)
  for (const apiError of refused)
    expect([apiError.code, apiError.headers['retry-after']]).toEqual(['unavailable', '2'])
  // The public map is served all the same.
  expect(await crowd.responses.respond('json', EVERYTHING, { acceptsGzip: true })).toBeInstanceOf(Response)
})

test('any number of equal requests at the same time share one map', async () => {
  const crowd = createLiveCrowd(PARTICIPANTS)
  const request = () => crowd.responses.respond('geojson', boxed(7), { acceptsGzip: false })
  const one = await processorMs(async () => void (await request()))
  await Bun.sleep(300)
  const many = await processorMs(async () => {
    const responses = await Promise.all(Array.from({ length: 500 }, request))
    for (const response of responses) expect(response).toBeInstanceOf(Response)
  })
  expect(many).toBeLessThan(20 * one + 200)
})

test('old and made-up cursors get the shared public map', async () => {
  const crowd = createLiveCrowd(PARTICIPANTS)
  const first = await crowd.responses.respond('json', EVERYTHING, { acceptsGzip: false })
  if (first instanceof ApiError) throw first
  const { data } = (await first.json()) as { data: { cursor: string; points: unknown[] } }
  const { decodeCursor } = await import('./positions/cursor.ts')
  const old = decodeCursor(data.cursor)
  crowd.walkOn(PARTICIPANTS)
  const one = await processorMs(async () => {
    const response = await crowd.responses.respond(
      'json',
      { ...EVERYTHING, since: old },
      { acceptsGzip: false },
    )
    if (response instanceof ApiError) throw response
    expect(await response.json()).toMatchObject({ data: { reset: true, removed: [], total: PARTICIPANTS } })
  })
  const more = await processorMs(async () => {
    for (let i = 0; i < 200; i++) {
      const since = old && { ...old, shards: old.shards.map(([ms]) => [ms, i] as const) }
      const response = await crowd.responses.respond('json', { ...EVERYTHING, since }, { acceptsGzip: false })
      expect(response).toBeInstanceOf(Response)
    }
  })
  expect(more).toBeLessThan(20 * one + 200)
})

test('a small delta costs far less than a map', async () => {
  const crowd = createLiveCrowd(PARTICIPANTS)
  await crowd.responses.respond('json', EVERYTHING, { acceptsGzip: false })
  const since = crowd.map.cursor()
  crowd.walkOn(50)
  const mapCost = await processorMs(
    async () => void (await crowd.responses.respond('json', boxed(3), { acceptsGzip: false })),
  )
  const deltas = await processorMs(async () => {
    for (let i = 0; i < 100; i++)
      expect(
        await crowd.responses.respond('json', { ...boxed(i), since }, { acceptsGzip: false }),
      ).toBeInstanceOf(Response)
  })
  expect(deltas).toBeLessThan(20 * mapCost + 100)
})
