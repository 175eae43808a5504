import { createHttpApp } from '@palanquin/service/http/app'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import { storeProbe } from '@palanquin/service/probe'
import type { Objects } from './objects.ts'

export type Dependencies = {
  objects: Pick<Objects, 'ping'>
  internalToken: string
  log: Log
  metrics: Metrics
}

/** The media service without its sockets. It has no public route yet: the gateway answers 501 for them. */
export function createMedia({ objects, ...shell }: Dependencies) {
  const objectStore = storeProbe('the object store', objects.ping)
  return createHttpApp({
    ...shell,
    service: 'media',
    readiness: async () => ({ objectStore: await objectStore() }),
  }).get('/internal/health', async () => ({ r2: (await objectStore()).ok ? 'ok' : 'error' }), {
    detail: { hide: true },
  })
}
