import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { Density } from '@palanquin/domain/density'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { Check } from 'typebox/value'
import { asTier, bareApp } from '../../test/bare-app.ts'
import { densityRoutes } from './route.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'test', level: 'silent' })
const HERE = { lat: 24.1, lng: 120.6 }
const TILES = 400
let places = [HERE]
let isReady = true
let countMin = 3
let reads = 0
let get: (path: string) => Promise<Response>
beforeEach(() => {
  ;[places, isReady, reads] = [[HERE, HERE, HERE], true, 0]
  const countedPlaces = () => {
    reads++
    return places
  }
  const app = bareApp(log).use(
    densityRoutes({ isReady: () => isReady, countedPlaces, countMin: () => countMin }),
  )
  get = async (query) => app.handle(asTier(0, `/density${query}`))
})

test('the crowd is counted by cells, in a form that any cache may keep for five seconds', async () => {
  const answer = await get('')
  const { data } = (await answer.json()) as { data: unknown }
  expect(Check(Density, data)).toBe(true)
  expect(data).toMatchObject({ cellDegrees: 0.0025, x: [0], y: [0], n: [3] })
  expect(answer.headers.get('cache-control')).toBe('public, max-age=5')
  expect(answer.headers.get('etag')).toMatch(/^"[\w-]+"$/)
})

test('it is counted once for all who ask within that time, whatever the tile', async () => {
  const answers = await Promise.all([
    get(''),
    get(''),
    get('?z=14&x=13677&y=7063'),
    get('?z=14&x=13677&y=7063'),
  ])
  expect(reads).toBe(1)
  const [first, second] = await Promise.all(answers.map((answer) => answer.text()))
  expect(second).toBe(first ?? '')
})

test('cells with fewer people than the organisers ask for are left out', async () => {
  countMin = 4
  const { data } = (await (await get('')).json()) as { data: unknown }
  countMin = 3
  expect(data).toMatchObject({ x: [], y: [], n: [] })
})

test('a made-up tile costs less than half a millisecond of a processor with 300,000 people', async () => {
  places = Array.from({ length: 300_000 }, (_, n) => ({
    lat: 22 + (n % 1_000) / 333,
    lng: 120 + Math.floor(n / 1_000) / 1_000,
  }))
  await get('')
  const before = process.cpuUsage()
  for (let n = 0; n < TILES; n++) await get(`?z=17&x=${n * 31}&y=${n * 17}`)
  for (let n = 0; n < TILES; n++) await get(`?z=14&x=${13_650 + (n % 40)}&y=${7_000 + Math.floor(n / 40)}`)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000 / (2 * TILES)).toBeLessThan(0.5)
})

test('what is no tile is 400, and 503 while the map is being loaded', async () => {
  const broken = await get('?z=99&x=0&y=0')
  expect([broken.status, ((await broken.json()) as { error: string }).error]).toEqual([
    400,
    'z: expected a zoom from 6 to 17',
  ])
  isReady = false
  expect((await get('')).status).toBe(503)
})
