import { statSync } from 'node:fs'
import { identify } from '@palanquin/embedded/process'
import { readJsonIfThere } from '@palanquin/files/read'
import { readAddresses } from '@palanquin/service/redis-addresses'
import { processNames, serviceOf } from '../units/copies.ts'
import { LINE_STUB } from '../units/entries.ts'
import { requestGateway } from '../units/readiness.ts'
import { GATEWAY, SERVICES } from '../units/services.ts'
import { databaseProblemAt, redisProblemAt } from '../units/store-problems.ts'
import type { Home } from './home.ts'
import { type RunFile, readRunFile } from './run-file.ts'

const REQUEST_TIMEOUT_MS = 1_500

export type StatusRow = {
  name: string
  pid: number | undefined
  uptime: string
  address: string
  health: string
}

/** One row for every process of a home, the stores last. */
export async function statusOf(home: Home): Promise<StatusRow[]> {
  const run = readRunFile(home)
  const health = run ? await healthOf(run) : {}
  const services = processNames(home).map(async (name): Promise<StatusRow> => {
    const metricsUrl = run?.services[name]?.metricsUrl
    const address = name === GATEWAY ? run?.url : run?.services[name]?.url
    return row(home, name, address, async () => (metricsUrl ? readiness(metricsUrl) : 'not ready yet'))
  })
  const [postgres, redis] = await Promise.all([
    run && databaseProblemAt(run.databaseUrl),
    run && redisProblemAt(run.redisUrl),
  ])
  const stores = [
    row(home, 'postgres', hostOf(run?.databaseUrl), async () => postgres ?? health.d1 ?? 'unknown'),
    row(home, 'redis', nodesOf(run?.redisUrl), async () => redis ?? health.kv ?? 'unknown'),
  ]
  const stubUrl = run?.line.stubUrl
  const line = stubUrl ? [row(home, LINE_STUB, stubUrl, () => readiness(stubUrl))] : []
  const objects: StatusRow = {
    name: 'objects',
    pid: undefined,
    uptime: run?.s3 ? 'external' : '-',
    address: run?.s3?.endpoint ?? run?.objectsFolder ?? '-',
    health: run ? (health.r2 ?? 'unknown') : 'down',
  }
  return Promise.all([...services, ...stores, objects, ...line])
}

async function row(
  home: Home,
  name: string,
  address: string | undefined,
  health: () => Promise<string>,
): Promise<StatusRow> {
  const pid = pidOf(home, name)
  const external = pid === undefined && address !== undefined && !isService(name) && name !== LINE_STUB
  return {
    name,
    pid,
    uptime:
      pid === undefined
        ? external
          ? 'external'
          : '-'
        : duration(Date.now() - statSync(home.pidFile(name)).mtimeMs),
    address: address ?? '-',
    health: pid === undefined && !external ? 'down' : await health(),
  }
}

const isService = (name: string): boolean =>
  name === GATEWAY || SERVICES.some((service) => service === serviceOf(name))

/** The pid in a pid file, if that very process still runs. */
function pidOf(home: Home, name: string): number | undefined {
  const noted = readJsonIfThere(home.pidFile(name))
  if (typeof noted !== 'object' || noted === null || !('pid' in noted) || !('startedAt' in noted))
    return undefined
  const pid = Number(noted.pid)
  return identify(pid)?.startedAt === noted.startedAt ? pid : undefined
}

async function readiness(metricsUrl: string): Promise<string> {
  try {
    const answer = await fetch(new URL('/ready', metricsUrl), {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    return answer.ok ? 'ok' : `not ready: ${(await answer.text()).slice(0, 120)}`
  } catch (error) {
    return error instanceof Error ? error.message : 'no answer'
  }
}

async function healthOf(run: RunFile): Promise<Record<string, string>> {
  try {
    const answer = await requestGateway(run, '/health', { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    const facts: unknown = await answer.json()
    if (typeof facts !== 'object' || facts === null) return {}
    return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]))
  } catch {
    return {} // the gateway is down; its own row says so
  }
}

/** The address of Redis without its password: of a cluster, the nodes that the settings name. */
const nodesOf = (url: string | undefined): string | undefined =>
  url &&
  readAddresses(url)
    .nodes.map(({ host, port }) => `${host}:${port}`)
    .join()

/** A store's address without its password. */
const hostOf = (url: string | undefined): string | undefined => url && new URL(url).host

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.floor(minutes / 1440)} days`
}
