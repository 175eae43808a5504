import { JSON_TYPE } from '../answer.ts'
import type { Fields, ReadStatus } from '../health/status-client.ts'
import { Asset } from '../pages/asset.ts'
import type { Service } from '../proxy/service.ts'
import type { ServiceName } from '../route.ts'
import type { Parts } from './document.ts'

/** A service that was updated under us is described anew after this time. */
const FRESH_MS = 60_000

type Known = { part: Fields; readAtMs: number }

/**
 * The document as it is served. Each service's part is kept for a minute; that of a service which does not answer is the last
 * one known, and it is asked again at the next call.
 */
export function documentReader({
  services,
  ask,
  build,
  prefix,
}: {
  services: Readonly<Record<ServiceName, Service>>
  ask: ReadStatus
  build: (parts: Parts) => unknown
  /** Public paths begin with it; services speak of `/api/event`, whatever the brand is. */
  prefix: string
}): () => Promise<Asset> {
  const known = new Map<string, Known>()
  let asset: Asset | undefined

  const refresh = async (name: string, service: Service, nowMs: number): Promise<void> => {
    if (nowMs - (known.get(name)?.readAtMs ?? Number.NEGATIVE_INFINITY) < FRESH_MS) return
    const part = await ask(service, '/internal/openapi')
    if (!part) return
    known.set(name, { part, readAtMs: nowMs })
    asset = undefined
  }

  return async () => {
    const nowMs = performance.now()
    await Promise.all(Object.entries(services).map(([name, service]) => refresh(name, service, nowMs)))
    asset ??= new Asset(
      JSON.stringify(
        build(Object.fromEntries([...known].map(([name, { part }]) => [name, part]))),
        forReaders(prefix),
      ),
      { 'content-type': JSON_TYPE, 'cache-control': 'no-cache' },
    )
    return asset
  }
}

/** typebox keeps notes of its own under names like `~kind`; and addresses in examples have the brand's prefix. */
const forReaders =
  (prefix: string) =>
  (key: string, value: unknown): unknown => {
    if (key.startsWith('~')) return undefined
    return typeof value === 'string' ? value.replaceAll('/api/event/', `${prefix}/`) : value
  }
