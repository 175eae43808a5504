import { expect, setDefaultTimeout, test } from 'bun:test'
import type { BoundingBox } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import { HANG_MS } from '@palanquin/testing/hang'
import { createLiveCrowd, processorMs } from '../../test/live-crowd.ts'
import { roundBoxOutward } from './responses/round-box.ts'
import type { MapQuery } from './responses/selection.ts'

setDefaultTimeout(HANG_MS)

const PEOPLE = 33_000
const STREAMS = 900
const OPENED_AT_ONCE = 15
/** A step is a second of all streams. */
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

/** What a second of so many streams takes of the processor, in ms. */
async function costOfStep(question: (i: number) => MapQuery): Promise<number> {
  const crowd = createLiveCrowd(PEOPLE)
  const leaves: (() => Promise<void>)[] = []
  let bytes = 0
  const begin = async (i: number) => {
    const answer = await crowd.streams.open('json', question(i))
    if (answer instanceof ApiError) throw answer
    const reader = answer.body?.getReader()
    void (async () => {
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
        bytes += read.value.length
    })()
    leaves.push(async () => void (await reader?.cancel()))
  }
  for (let i = 0; i < STREAMS; i += OPENED_AT_ONCE)
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, (_, more) => begin(i + more)))
  // Until every first event is taken.
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
  await Promise.all(leaves.map((leave) => leave()))
  return taken / STEPS
}

test('900 event streams with a box of their own cost a second hardly more than 900 that look at the same', async () => {
  const same = await costOfStep(() => EVERYTHING)
  const own = await costOfStep((i) => ({ ...boxed(i), box: roundBoxOutward(boxOf(i)) }))
  // Looking at everybody once for each took 3,500 ms.
  expect(own).toBeLessThan(4 * same + 150)
})

test('of 300 maps that are asked for at once some are built, one after another, and the others are told to come again', async () => {
  const crowd = createLiveCrowd(PEOPLE)
  const one = await processorMs(async () => {
    await crowd.answers.respond('json', boxed(0), { acceptsGzip: true })
  })
  const answers: (Response | ApiError)[] = []
  const all = await processorMs(async () => {
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 300 }, (_, i) =>
          crowd.answers.respond('json', boxed(i + 1), { acceptsGzip: true }),
        ),
      )),
    )
  })
  const refused = answers.filter((answer) => answer instanceof ApiError)
  expect(answers.length - refused.length).toBe(18)
  expect(all).toBeLessThan(18 * 5 * one + 300)
  for (const apiError of refused)
    expect([apiError.code, apiError.headers['retry-after']]).toEqual(['unavailable', '2'])
  // Whoever asks for the plain map is served all the same.
  expect(await crowd.answers.respond('json', EVERYTHING, { acceptsGzip: true })).toBeInstanceOf(Response)
})

test('who asks the same at the same time is answered by one map, in any number', async () => {
  const crowd = createLiveCrowd(PEOPLE)
  const ask = () => crowd.answers.respond('geojson', boxed(7), { acceptsGzip: false })
  const one = await processorMs(async () => void (await ask()))
  await Bun.sleep(300)
  const many = await processorMs(async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, ask))
    for (const answer of answers) expect(answer).toBeInstanceOf(Response)
  })
  expect(many).toBeLessThan(20 * one + 200)
})

test('a cursor that is far behind is answered by the map that is there for everybody, and made-up ones too', async () => {
  const crowd = createLiveCrowd(PEOPLE)
  const first = await crowd.answers.respond('json', EVERYTHING, { acceptsGzip: false })
  if (first instanceof ApiError) throw first
  const { data } = (await first.json()) as { data: { cursor: string; points: unknown[] } }
  const { decodeCursor } = await import('./positions/cursor.ts')
  const old = decodeCursor(data.cursor)
  crowd.walkOn(PEOPLE)
  const one = await processorMs(async () => {
    const answer = await crowd.answers.respond('json', { ...EVERYTHING, since: old }, { acceptsGzip: false })
    if (answer instanceof ApiError) throw answer
    expect(await answer.json()).toMatchObject({ data: { reset: true, removed: [], total: PEOPLE } })
  })
  const more = await processorMs(async () => {
    for (let i = 0; i < 200; i++) {
      const since = old && { ...old, shards: old.shards.map(([ms]) => [ms, i] as const) }
      const answer = await crowd.answers.respond('json', { ...EVERYTHING, since }, { acceptsGzip: false })
      expect(answer).toBeInstanceOf(Response)
    }
  })
  expect(more).toBeLessThan(20 * one + 200)
})

test('who moved a little is told in far less than a map takes', async () => {
  const crowd = createLiveCrowd(PEOPLE)
  await crowd.answers.respond('json', EVERYTHING, { acceptsGzip: false })
  const since = crowd.map.cursor()
  crowd.walkOn(50)
  const includeHidden = await processorMs(
    async () => void (await crowd.answers.respond('json', boxed(3), { acceptsGzip: false })),
  )
  const deltas = await processorMs(async () => {
    for (let i = 0; i < 100; i++)
      expect(
        await crowd.answers.respond('json', { ...boxed(i), since }, { acceptsGzip: false }),
      ).toBeInstanceOf(Response)
  })
  expect(deltas).toBeLessThan(20 * includeHidden + 100)
})
