import { memoize } from '@palanquin/service/memoize'
import Type, { type Static } from 'typebox'
import { statusOf } from '../health/status.ts'
import { Asset } from '../prebuilt/asset.ts'
import type { ServiceClients } from '../proxy/client.ts'
import { JSON_TYPE } from '../response.ts'
import type { ServiceName } from '../route.ts'
import type { Parts } from './document.ts'

/** A service that was updated is described again after this time. */
const TTL_MS = 60_000

/** The paths of a service, as OpenAPI has them. */
const Part = Type.Record(Type.String(), Type.Unknown())

/**
 * The document as it is served. The part of each service is kept for a minute; of a service that does not answer the last
 * known part is used, and it is asked again at the next request.
 */
export function documentReader({
  clients,
  build,
  prefix,
  deadlineMs,
}: {
  clients: ServiceClients
  build: (parts: Parts) => unknown
  /** Public paths begin with it; services write `/api/event`, whatever the brand is. */
  prefix: string
  /** For tests: of each service's answer. */
  deadlineMs?: number | undefined
}): () => Promise<Asset> {
  const known = new Map<ServiceName, Static<typeof Part>>()
  let asset: Asset | undefined

  const refresh = memoize(
    async (name: ServiceName): Promise<boolean> => {
      const part = await statusOf(clients[name], '/internal/openapi', { reply: Part, deadlineMs })
      if (!part) return false
      known.set(name, part)
      asset = undefined
      return true
    },
    { ttlMs: (isFresh) => (isFresh ? TTL_MS : 0) },
  )

  return async () => {
    await Promise.all(SERVICES.map(refresh))
    const document = () => JSON.stringify(build(Object.fromEntries(known)), forReaders(prefix))
    asset ??= new Asset(document(), { 'content-type': JSON_TYPE, 'cache-control': 'no-cache' })
    return asset
  }
}

const SERVICES: readonly ServiceName[] = ['tracking', 'map', 'engagement', 'media', 'lineBot']

/** Leaves out typebox's own notes (`~kind`), and gives addresses in examples the brand's prefix. */
const forReaders =
  (prefix: string) =>
  (key: string, value: unknown): unknown => {
    if (key.startsWith('~')) return undefined
    return typeof value === 'string' ? value.replaceAll('/api/event/', `${prefix}/`) : value
  }
