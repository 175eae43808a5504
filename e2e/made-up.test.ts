import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { cpuMsOfTree } from '@palanquin/bench/load/cpu'
import { startThrowawayStack, storePid, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { CAN_TELL_PROCESSOR_TIME } from '@palanquin/testing/processor-time'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import fc from 'fast-check'
import Type from 'typebox'
import Value from 'typebox/value'
import { makeCard } from './make-card.ts'
import { anyMadeUp, type Known } from './openapi/made-up-request.ts'
import { type Described, isObject, operationsOf } from './openapi/openapi.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** More than a page from memory. */
const PROCESSOR_MS_MAX = 15
/** Half a millisecond is wanted of these; to compress a page for each request costs three. */
const CHEAP_MS_MAX = 2.5
const CHEAP = ['/density', '/setup/{code}']
const FROM_MEMORY = '/api/event/notices'
/** In a round. Processor time is measured in steps of 10 ms. */
const REQUESTS = 100
/** Other processes make a round dearer, the first ones warm up, and each has other requests. */
const ROUNDS_MAX = 8
const AT_ONCE = 8
const SEED = 20_261_127
const PEOPLE = 500
/** To walk over them costs some 40 ms. */
const FEEDBACK = 300_000

/** What the gateway serves itself, and the document does not have. */
const PAGES = ['/setup/{code}', '/s/{token}', '/c/{shareId}', '/map', '/{unknown}']
/** Endless; other tests read them. */
const STREAM = /\/stream$/

let stack: ThrowawayStack
let tls: { ca: string }
let known: Known = {}
let reads: Pick<Described, 'path' | 'operation'>[] = []
beforeAll(async () => {
  stack = await startThrowawayStack({ RATE_LIMITS: 'off', FLUSH_SCHEDULE: '0 0 0 1 1 *' })
  tls = { ca: readFileSync(stack.running().caFile, 'utf8') }
  known = await fill()
  const document = await (await fetch(`${stack.running().url}/openapi.json`, { tls })).json()
  if (!isObject(document)) throw new Error('the document is no object')
  const open = operationsOf(document).filter((one) => one.method === 'get' && isPublic(one))
  reads = [...open, ...PAGES.map((path) => ({ path, operation: { responses: {} } }))]
})
afterAll(() => stack.close())

const isPublic = ({ path, operation: { security = [] } }: Described): boolean =>
  !STREAM.test(path) && (security.length === 0 || security.some((proofs) => Object.keys(proofs).length === 0))

async function fill(): Promise<Known> {
  const { api, sql } = stack
  const checkIn = (n: number) => api.post('/checkin', { userId: `U${n}`, lat: 24 + n / 400, lng: 120.6 })
  for (let at = 0; at < PEOPLE; at += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => checkIn(at + n)))
  await sql`INSERT INTO engagement.feedback (category, message, edit_token_hash)
    SELECT 'other', 'x', sha256(n::text::bytea) FROM generate_series(1, ${FEEDBACK}) AS n`
  await sql`VACUUM ANALYZE engagement.feedback`
  const palanquin = { kind: 'palanquin', name: { zh: '鑾轎', en: 'Palanquin' }, devices: ['U0'] }
  const { body: beacon } = await api.post('/admin/beacons', palanquin, api.as('owner'))
  const { body: card } = await makeCard(api, { userId: 'U0' })
  const read = (body: unknown, name: string) =>
    Value.Parse(Type.Object({ data: Type.Object({ [name]: Type.String() }) }), body).data[name] ?? ''
  return {
    userId: 'U0',
    id: read(beacon, 'id'),
    since: read((await api.get('/data')).body, 'cursor'),
    cursor: read((await api.get('/feedback?limit=100')).body, 'nextCursor'),
    shareId: read(card, 'shareUrl').split('/').at(-1) ?? '',
  }
}

/** Of all services and stores: a walk over rows is PostgreSQL's work. */
function usedMs(): number {
  const services = Object.values(stack.running().services).map(({ pid }) => pid)
  const pids = [...services, storePid(stack.home, 'postgres'), storePid(stack.home, 'redis')]
  return pids.reduce((sum, pid) => sum + cpuMsOfTree(pid), 0)
}

/** Milliseconds of processor time that each request costs. */
async function weigh(paths: readonly string[]): Promise<number> {
  const headers = { accept: 'text/html,*/*', 'accept-encoding': 'br, gzip' }
  const waiting = [...paths]
  const client = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const init = { headers, tls, redirect: 'manual', decompress: false } as const
      const response = await fetch(stack.running().url + path, init)
      await response.arrayBuffer()
      if (response.status === 500) throw new Error(`${path} is answered 500`)
    }
  }
  const before = usedMs()
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  return (usedMs() - before) / paths.length
}

test.skipIf(!CAN_TELL_PROCESSOR_TIME)(
  'no public GET walks more than a bounded number of rows, whatever is made up in it',
  async () => {
    const dear: string[] = []
    for (const [index, read] of reads.entries()) {
      const msMax = CHEAP.some((path) => read.path.endsWith(path)) ? CHEAP_MS_MAX : PROCESSOR_MS_MAX
      let ms = Number.POSITIVE_INFINITY
      for (let round = 0; round < ROUNDS_MAX && ms >= msMax; round++) {
        const seed = SEED + index * ROUNDS_MAX + round
        const paths = fc.sample(anyMadeUp(read, known), { numRuns: REQUESTS, seed })
        const fromMemory = await weigh(paths.map(() => FROM_MEMORY))
        ms = (await weigh(paths)) - fromMemory
      }
      if (ms >= msMax) dear.push(`${read.path}: ${ms} ms`)
    }
    expect(reads.length).toBeGreaterThan(20)
    expect(dear).toEqual([])
  },
)
