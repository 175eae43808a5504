import { type FaultProxy, faultProxy } from '@palanquin/testing/fault-proxy'
import type { Settings } from '../settings.ts'
import { type Break, LINKS, type Link } from './faults.ts'

/** Enough to let every deadline of a few hundred milliseconds pass now and then. */
const SLOW_MS = 150

/** The variable by which each is told where the other is. */
const VARIABLES: Record<string, string> = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  s3: 'S3_ENDPOINT',
  tracking: 'TRACKING_URL',
  engagement: 'ENGAGEMENT_URL',
  media: 'MEDIA_URL',
  'line-bot': 'LINE_BOT_URL',
}

/** The wires of a house: each leads through a proxy that passes everything on until it is told to misbehave. */
export function openLinks() {
  const proxies = new Map<Link, Promise<FaultProxy>>()

  const proxied = async (link: Link, target: string): Promise<string> => {
    const proxy = proxies.get(link) ?? faultProxy(target)
    proxies.set(link, proxy)
    const { port } = await proxy
    if (target.startsWith('unix:')) return `http://127.0.0.1:${port}`
    const url = new URL(target)
    url.hostname = '127.0.0.1'
    url.port = String(port)
    return target.endsWith('/') ? url.href : url.href.replace(/\/$/, '')
  }

  return {
    /** What a process is told, with the proxies in the place of whom it calls. */
    reroute: async (name: string, environment: Settings): Promise<Settings> => {
      const rerouted: Record<string, string> = { ...environment }
      for (const link of LINKS) {
        const [from, to = ''] = link.split(' → ')
        const variable = VARIABLES[to] ?? ''
        const target = environment[variable]
        if (from === name && target) rerouted[variable] = await proxied(link, target)
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
