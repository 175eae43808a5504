import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStores } from '@palanquin/embedded/stack'
import { dataOf } from '@palanquin/stack/api'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { whilePostgresIsSuspended } from '@palanquin/stack/testing/suspend'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { type Benchmark, type Figure, ROUNDS } from '../benchmark.ts'
import { BENCH_SETTINGS } from '../settings.ts'

/** Limits of the contract, in milliseconds. */
const ON_THE_MAP_MS_MAX = 2_000
const CHANGE_MS_MAX = 1_000
const HEALTH_MS_MAX = 1_000
const WARM_START_MS_MAX = 1_500

const Total = Type.Object({ points: Type.Array(Type.Object({ lat: Type.Number() })) })
const place = (round: number) => ({ lat: 24 + round / 1_000, lng: 120.6 })

/** Latencies of the contract. Tests only check that something happens; how soon is measured here. */
export const promises: Benchmark = {
  name: 'promises',
  question: `how soon a check-in is on the map (${ON_THE_MAP_MS_MAX} ms), a pause holds (${CHANGE_MS_MAX}), health answers while PostgreSQL is stopped (${HEALTH_MS_MAX}), and stores are back (${WARM_START_MS_MAX})`,
  better: 'less',
  wanted: 1,
  run: async (log) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    try {
      const map = await rounds((round) => onTheMap(stack, round))
      const pause = await rounds(() => pauseAndResume(stack))
      const health = await rounds(() => healthWithoutPostgres(stack))
      log('the stack has been measured; now stores alone')
      return {
        name: 'a check-in on the map',
        ...against(ON_THE_MAP_MS_MAX, map),
        notes: ['through the gateway, polled'],
        also: [
          figure('a pause holds', against(CHANGE_MS_MAX, pause), 'the slower of pause and resumption'),
          figure(
            'health while PostgreSQL is stopped',
            against(HEALTH_MS_MAX, health),
            'the slowest answer until it says d1: error',
          ),
          figure(
            'stores, warm',
            against(WARM_START_MS_MAX, await warmStores()),
            'all three, on data that is there',
          ),
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

async function rounds(measure: (round: number) => Promise<number>): Promise<number[]> {
  const found: number[] = []
  for (let round = 0; round <= ROUNDS; round++) found.push(await measure(round))
  return found.slice(1) // the first round warms up
}

const against = (wantedMs: number, ours: number[]) => ({
  unit: 'ms',
  ours,
  yardstick: ours.map(() => wantedMs),
})
const figure = (name: string, measured: ReturnType<typeof against>, note: string): Figure => ({
  name,
  better: 'less',
  wanted: 1,
  ...measured,
  notes: [note, 'the yardstick is the figure that is wanted'],
})

async function since(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

async function onTheMap({ api }: ThrowawayStack, round: number): Promise<number> {
  const userId = `seen-${round}`
  await api.post('/privacy', { userId, consent: true })
  const { lat, lng } = place(round)
  return since(async () => {
    await api.post('/checkin', { userId, lat, lng })
    await until(async () => dataOf(Total, await api.get('/data')).points.some((point) => point.lat === lat), {
      what: 'the check-in on the map',
    })
  })
}

async function pauseAndResume({ api }: ThrowawayStack): Promise<number> {
  let number = 0
  const holds = (status: string, answer: number) =>
    since(async () => {
      await api.put('/admin/status', { status }, api.as('owner'))
      const name = `${status}-${crypto.randomUUID().slice(0, 8)}`
      await until(
        async () =>
          (await api.post('/checkin', { userId: `${name}-${number++}`, ...place(0) })).status === answer,
        { what: `check-ins answered ${answer}` },
      )
    })
  const [paused, resumed] = [await holds('paused', 403), await holds('active', 202)]
  return Math.max(paused, resumed)
}

async function healthWithoutPostgres({ api, home }: ThrowawayStack): Promise<number> {
  let slowestMs = 0
  const isError = async () => {
    let d1 = ''
    const tookMs = await since(async () => {
      d1 = (await api.health()).d1
    })
    slowestMs = Math.max(slowestMs, tookMs)
    return d1 === 'error'
  }
  await whilePostgresIsSuspended(home, () => until(isError, { what: 'd1: error' }))
  await until(async () => (await api.health()).d1 === 'ok', { what: 'd1: ok again' })
  return slowestMs
}

async function warmStores(): Promise<number[]> {
  const home = mkdtempSync(join(tmpdir(), 'palanquin-bench-stores-'))
  const options = { home, toolchainDir: join(PROJECT_ROOT, '.palanquin', 'toolchain') }
  try {
    await (await startStores(options)).stop()
    return await rounds(async () => {
      let stop = async () => {}
      const tookMs = await since(async () => {
        const stores = await startStores(options)
        stop = () => stores.stop()
      })
      await stop()
      return tookMs
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
