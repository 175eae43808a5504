import { BAISHATUN_ROUTE } from '@palanquin/demo/pilgrim/route'
import { crowdOf, densityOf } from '@palanquin/domain/density'
import type { Place } from '@palanquin/domain/geo'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import { type Benchmark, type Figure, type Measured, ROUNDS } from '../benchmark.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { checkInParticipants } from './map-participants.ts'
import { measureReads } from './measure-reads.ts'

const PARTICIPANTS = 100_000
const QUICK_PARTICIPANTS = 5_000
const CONNECTIONS = 64
/** As browsers send it to an https address. */
const BROWSER = { 'accept-encoding': 'gzip, deflate, br' }
const WANTED = 0.5
const DENSITY_BYTES_MAX = 20_480
const BUILD_MS_MAX = 50
const BUILDS = 10
/** Longer than a density is kept, so that the next request has it counted again. */
const DENSITY_AGE_MS = 5_300
/** The crowd is this far to both sides of the route: some 2 km. */
const WIDTH_DEGREES = 0.02
const PALANQUIN = { userId: 'Ubench-palanquin', lat: 24.1, lng: 120.6, accuracy: 8 }

/** What an open map asks for every ten seconds, against the same bytes as a static file. */
export const pages: Benchmark = {
  name: 'pages',
  question: `GET /activity, /beacons and /density of ${PARTICIPANTS.toLocaleString('en-US')} participants, as a browser asks for them, against the same bytes as a static file of a bare TLS Bun.serve, and from its memory`,
  better: 'more',
  wanted: WANTED,
  run: async (log, { quick }) => {
    const participants = quick ? QUICK_PARTICIPANTS : PARTICIPANTS
    const stack = await startThrowawayStack({ ...BENCH_SETTINGS, PAGE_READ_LIMIT: '10000000' })
    try {
      await checkInParticipants(stack, participants, placeOnRoute)
      await showBeacon(stack)
      log('all participants and a beacon are on the map')
      const read = async (name: string, from: 'file' | 'memory'): Promise<Measured> => {
        const path = `${new URL(stack.api.base).pathname}/${name}`
        return measureReads(stack, { path, headers: BROWSER, from, connections: CONNECTIONS, quick })
      }
      const aim = { better: 'more', wanted: WANTED } as const
      const inMemory = async (name: string): Promise<Figure> => ({
        name: `pages: ${name}, from memory`,
        better: 'more',
        ...(await read(name, 'memory')),
      })
      return {
        name: 'pages: activity',
        ...(await read('activity', 'file')),
        also: [
          { name: 'pages: beacons', ...aim, ...(await read('beacons', 'file')) },
          { name: 'pages: density', ...aim, ...(await read('density', 'file')) },
          await inMemory('activity'),
          await inMemory('beacons'),
          await inMemory('density'),
          await densityBytes(stack),
          await densityBuild(stack, participants),
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

/** A number from 0 to 1 that looks random: regular places would compress too well. */
const random = (n: number, seed: bigint): number => Number(Bun.hash.wyhash(String(n), seed) >> 11n) / 2 ** 53

/** Places of a crowd along the whole route, densest on it. */
function placeOnRoute(n: number): Place {
  const position = random(n, 1n) * (BAISHATUN_ROUTE.length - 1)
  const [from, to] = [Math.floor(position), Math.ceil(position)].map((index) => BAISHATUN_ROUTE[index])
  if (!from || !to) throw new Error(`there is no place of the route at ${position}`)
  const share = position % 1
  const across = (random(n, 2n) + random(n, 3n) - 1) * WIDTH_DEGREES
  return { lat: from.lat + (to.lat - from.lat) * share, lng: from.lng + (to.lng - from.lng) * share + across }
}

async function showBeacon({ api }: ThrowawayStack): Promise<void> {
  const body = { kind: 'palanquin', name: { zh: '鑾轎', en: 'Palanquin' }, devices: [PALANQUIN.userId] }
  const { status } = await api.post('/admin/beacons', body, api.as('manager'))
  if (status !== 201) throw new Error(`the beacon was answered ${status}`)
  await api.post('/checkin', PALANQUIN)
  await until(async () => JSON.stringify((await api.get('/beacons')).body).includes('recordedAt'), {
    what: 'the beacon on the map',
  })
}

/** The bytes of the whole activity's density as gzip. */
async function densityBytes({ api, running }: ThrowawayStack): Promise<Figure> {
  const tls = { ca: Bun.file(running().caFile) }
  const headers = { 'accept-encoding': 'gzip' }
  const answer = await fetch(`${api.base}/density`, { headers, tls, decompress: false })
  const bytes = (await answer.arrayBuffer()).byteLength
  return {
    name: 'pages: density, gzip',
    better: 'less',
    wanted: 1,
    unit: 'bytes',
    ours: [bytes],
    yardstick: [DENSITY_BYTES_MAX],
    notes: [
      `content-encoding: ${answer.headers.get('content-encoding')}`,
      'the yardstick is the most wanted',
    ],
  }
}

/** What the map process does once in five seconds for all readers; by processor time. */
async function densityBuild({ api }: ThrowawayStack, participants: number): Promise<Figure> {
  const places = Array.from({ length: participants }, (_, n) => placeOnRoute(n))
  const ours = Array.from({ length: ROUNDS + 1 }, () => {
    const before = process.cpuUsage()
    for (let i = 0; i < BUILDS; i++) JSON.stringify(densityOf(crowdOf(places), null))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 / BUILDS
  }).slice(1)
  await Bun.sleep(DENSITY_AGE_MS)
  const { status, tookMs } = await api.get('/density')
  if (status !== 200) throw new Error(`/density answered ${status}`)
  return {
    name: 'pages: density, built',
    better: 'less',
    wanted: 1,
    unit: 'ms of a processor',
    ours,
    yardstick: ours.map(() => BUILD_MS_MAX),
    notes: [
      `the first response after ${DENSITY_AGE_MS} ms without a request took ${tookMs.toFixed(0)} ms`,
      'the yardstick is the most wanted',
    ],
  }
}
