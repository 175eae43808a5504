import type { Settings } from '@palanquin/stack/settings/settings'
import { serviceOf } from '@palanquin/stack/units/copies'
import { type FaultProxy, faultProxy } from '@palanquin/testing/fault-proxy'
import type { Break, Link } from './faults.ts'

/** Longer than deadlines of a few hundred milliseconds, but not always. */
const SLOW_MS = 150

/** The variables that hold the callee's address. */
const VARIABLES: Record<string, readonly string[]> = {
  postgres: ['DATABASE_URL'],
  redis: ['REDIS_URL'],
  s3: ['S3_ENDPOINT'],
  line: ['LINE_API_BASE', 'LINE_DATA_API_BASE', 'LINE_LOGIN_BASE'],
  tracking: ['TRACKING_URL'],
  map: ['MAP_URL'],
  engagement: ['ENGAGEMENT_URL'],
  media: ['MEDIA_URL'],
  'line-bot': ['LINE_BOT_URL'],
}

/** The given links of a stack, each through a proxy that passes everything until it is broken. */
export function openLinks(links: readonly Link[]) {
  const proxies = new Map<Link, Promise<FaultProxy>>()

  const proxied = async (link: Link, target: string): Promise<string> => {
    const proxy = proxies.get(link) ?? faultProxy(target)
    proxies.set(link, proxy)
    const { port } = await proxy
    if (target.startsWith('unix:')) return `http://127.0.0.1:${port}`
    const url = new URL(target)
    // LINE's hosts differ by name.
    if (url.hostname !== 'localhost') url.hostname = '127.0.0.1'
    url.port = String(port)
    return target.endsWith('/') ? url.href : url.href.replace(/\/$/, '')
  }

  return {
    /** The environment of a process with proxies in place of its callees. */
    reroute: async (name: string, environment: Settings): Promise<Settings> => {
      const rerouted: Record<string, string> = { ...environment }
      for (const link of links) {
        const [from, to = ''] = link.split(' → ')
        if (from !== name) continue
        const copy = Number(to.slice(serviceOf(to).length + 1) || 1)
        for (const variable of VARIABLES[serviceOf(to)] ?? []) {
          const [targets, already] = [environment[variable]?.split(','), rerouted[variable]?.split(',')]
          const target = targets?.[copy - 1]
          if (!target || !already) continue
          already[copy - 1] = await proxied(link, target)
          rerouted[variable] = already.join()
        }
      }
      return rerouted
    },
    break: async (link: Link, how: Break): Promise<void> => {
      await (await proxies.get(link))?.set(how === 'slow' ? { slow: { delayMs: SLOW_MS } } : how)
    },
    heal: async (link: Link): Promise<void> => {
      await (await proxies.get(link))?.set('pass')
    },
    close: async (): Promise<void> => {
      for (const proxy of proxies.values()) await (await proxy).close()
    },
  }
}

export type Links = ReturnType<typeof openLinks>
