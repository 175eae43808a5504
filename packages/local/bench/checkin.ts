import { setOut, storePid } from '../src/throwaway-stack.ts'
import { type Benchmark, median, ROUNDS } from './benchmark.ts'
import { countStored } from './counted.ts'
import { cpuMsByName, cpuMsOf, cpuUsEach } from './load/cpu.ts'
import { type LoadPlan, type LoadResult, load } from './load/load.ts'
import { NO_FLUSH } from './settings.ts'
import { startYardstick } from './yardstick.ts'

const CONNECTIONS = 64
/** A crowd does not come over 64 connections: what is shared by those of a moment shows with more of them. */
const CROWDS = [256, 512]
const WANTED = 0.22
const ROUND_MS = 4_000
const CROWD_ROUND_MS = 2_000
const QUICK_ROUND_MS = 500
const WARM_UP_MS = 2_000

/** The way of a check-in through TLS, gateway, service and journal, against a TLS echo by the same client. */
export const checkin: Benchmark = {
  name: 'checkin',
  question:
    'check-ins answered 202 through the TLS gateway (limits and journal on, each of another walker), against a bare TLS echo of Bun: same load, same bodies',
  better: 'more',
  wanted: WANTED,
  run: async (say, { quick }) => {
    const stack = await setOut(NO_FLUSH)
    const { caFile, url, services } = stack.running()
    const echo = await startYardstick({ caFile })
    const pids = {
      gateway: services.gateway?.pid ?? 0,
      tracking: services.tracking?.pid ?? 0,
      redis: storePid(stack.home, 'redis'),
    }
    try {
      let sent = 0
      const round = async (
        plan: Pick<LoadPlan, 'url' | 'forMs'> & { connections?: number },
        status: number,
      ) => {
        const result = await load(
          { connections: CONNECTIONS, ...plan, kind: 'checkin', first: sent, caFile },
          status,
        )
        sent += result.sent
        return result
      }
      const forMs = quick ? QUICK_ROUND_MS : ROUND_MS
      const checkins = { url: `${url}/api/event/checkin`, forMs }
      await round({ url: echo.url, forMs: WARM_UP_MS }, 200)
      let acknowledged = (await round({ ...checkins, forMs: WARM_UP_MS }, 202)).sent
      const ours: (LoadResult & { cpuUs: Record<string, number> })[] = []
      const bare: (LoadResult & { cpuUs: number })[] = []
      const crowds = CROWDS.map((connections) => ({
        connections,
        ours: [] as LoadResult[],
        bare: [] as LoadResult[],
      }))
      for (let n = 1; n <= ROUNDS; n++) {
        const echoed = cpuMsOf(echo.pid)
        const plain = await round({ url: echo.url, forMs }, 200)
        bare.push({ ...plain, cpuUs: ((cpuMsOf(echo.pid) - echoed) / plain.sent) * 1_000 })
        const before = cpuMsByName(pids)
        const result = await round(checkins, 202)
        acknowledged += result.sent
        ours.push({ ...result, cpuUs: cpuUsEach(before, cpuMsByName(pids), result.sent) })
        say(
          `round ${n} of ${ROUNDS}: ${Math.round(result.perSecond)} of ${Math.round(plain.perSecond)} requests/s`,
        )
        for (const { connections, ours, bare } of crowds) {
          const crowd = { connections, forMs: quick ? QUICK_ROUND_MS : CROWD_ROUND_MS }
          bare.push(await round({ url: echo.url, ...crowd }, 200))
          const result = await round({ ...checkins, ...crowd }, 202)
          acknowledged += result.sent
          ours.push(result)
        }
      }
      await stack.api.flush()
      const stored = await countStored(stack, acknowledged)
      const us = (name: string) => median(ours.map(({ cpuUs }) => cpuUs[name] ?? Number.NaN))
      const names = Object.keys(pids)
      const oursUs = names.reduce((sum, name) => sum + us(name), 0)
      const bareUs = median(bare.map(({ cpuUs }) => cpuUs))
      const clientUs = median([...ours, ...bare].map(({ cpuMs, sent }) => (cpuMs / sent) * 1_000))
      return {
        unit: 'requests/s',
        ours: ours.map(({ perSecond }) => perSecond),
        yardstick: bare.map(({ perSecond }) => perSecond),
        notes: [
          `${CONNECTIONS} connections; load and servers share this machine`,
          `processor time a request: ${names.map((name) => `${name} ${us(name).toFixed(0)} µs`).join(', ')}, together ${oursUs.toFixed(0)} µs; the echo ${bareUs.toFixed(0)} µs; the load itself ${clientUs.toFixed(0)} µs`,
          `so at two busy cores ${((bareUs + clientUs) / (oursUs + clientUs) || 0).toFixed(2)} × by processor time`,
          `all ${stored} that were answered 202 are in PostgreSQL`,
        ],
        also: [
          {
            name: 'checkin p99',
            better: 'less',
            wanted: 6,
            unit: 'ms',
            ours: ours.map(({ p99Ms }) => p99Ms),
            yardstick: bare.map(({ p99Ms }) => p99Ms),
            notes: [`p50 ${median(ours.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms`],
          },
          ...crowds.map(({ connections, ours, bare }) => ({
            name: `checkin, ${connections} connections`,
            better: 'more' as const,
            wanted: WANTED,
            unit: 'requests/s',
            ours: ours.map(({ perSecond }) => perSecond),
            yardstick: bare.map(({ perSecond }) => perSecond),
            notes: [`p50 ${median(ours.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms`],
          })),
        ],
      }
    } finally {
      await echo.stop()
      await stack.close()
    }
  },
}
