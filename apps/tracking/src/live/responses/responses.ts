import { ApiError } from '@palanquin/service/http/api-error'
import type { BoundedQueue } from '../../bounded-queue.ts'
import { encodeCursor } from '../positions/cursor.ts'
import { createSharedBuilds } from '../shared-builds.ts'
import { type Bytes, compressed } from './compress.ts'
import { bodyOf, type Format, MEDIA_TYPE, render } from './formats.ts'
import {
  deltaOf,
  type MapQuery,
  pageOf,
  resetTo,
  type Selection,
  snapshotOf,
  updatesSince,
  type View,
} from './selection.ts'

/** The public map is built at most this often, whoever asks; */
const CACHE_MS = 250
/** less often where building it would take more than an eighth of the time (positions are shown within 2 s). */
const CACHE_MS_MAX = 1_000
const BUILD_SHARE = 8
/** Other responses are shared between clients with the same query, this many at a time. */
const CACHED_MAX = 16
/** Compression hardly shortens a smaller body. */
const GZIP_BYTES_MIN = 1_024
/** A delta of this many movements is built at once: it takes a millisecond. */
const INLINE_MOVEMENTS_MAX = 500
/** A delta of more than half of the map, and more than this, costs more than the public map that is built anyway. */
const DELTA_MOVEMENTS_MAX = 1_000

/** A Blob becomes the body of many responses without a copy for each. */
type Body = { plain: Bytes; blob: Blob; gzipped?: Promise<Blob> }
type Snapshot = Body & { version: number; builtAt: number; freshForMs: number }

export type MapResponses = ReturnType<typeof createMapResponses>

/**
 * Responses of `GET /data`. The public map is shared as bytes, small deltas are built at once, and everything else goes
 * through a bounded queue, shared by clients with the same query.
 */
export function createMapResponses({
  view,
  builds,
  now,
}: {
  view: View
  builds: BoundedQueue
  now: () => number
}) {
  const { map, participants } = view
  const snapshots = new Map<string, Snapshot>()
  const shareBuild = createSharedBuilds<Body>({ builds, ttlMs: CACHE_MS, entriesMax: CACHED_MAX })

  const build = (format: Format, selection: Selection, includeHidden: boolean): Body => {
    const plain = new TextEncoder().encode(
      bodyOf(format, render(format, selection, { participants, includeHidden })),
    )
    return { plain, blob: new Blob([plain]) }
  }

  const publicMap = (format: Format, { reset }: { reset: boolean }): Snapshot => {
    const key = `${format} ${reset}`
    const cached = snapshots.get(key)
    if (cached && (cached.version === map.version() || now() - cached.builtAt < cached.freshForMs))
      return cached
    const started = performance.now()
    const version = map.version()
    const selection = snapshotOf(view, { box: null, includeHidden: false })
    const body = build(format, reset ? resetTo(selection) : selection, false)
    const tookMs = performance.now() - started
    const freshForMs = Math.min(Math.max(CACHE_MS, tookMs * BUILD_SHARE), CACHE_MS_MAX)
    const snapshot = { ...body, version, builtAt: now(), freshForMs }
    snapshots.set(key, snapshot)
    return snapshot
  }

  const select = (query: MapQuery): Selection => {
    const { since, limit } = query
    if (since === null && limit === null) return snapshotOf(view, query)
    if (limit !== null) return pageOf(view, query) ?? firstPage(query)
    const updates = since && updatesSince(view, since)
    return updates ? deltaOf(view, updates, query) : resetTo(snapshotOf(view, query))
  }
  const firstPage = (query: MapQuery): Selection =>
    resetTo(pageOf(view, { ...query, since: null }) ?? snapshotOf(view, query))

  const queuedBody = (format: Format, query: MapQuery, acceptsGzip: boolean): Promise<Body | ApiError> => {
    const { since, ...filter } = query
    const key = JSON.stringify([format, since && encodeCursor(since), filter])
    return shareBuild(key, async () => {
      const body = build(format, select(query), query.includeHidden)
      if (acceptsGzip && body.plain.length >= GZIP_BYTES_MIN) body.gzipped = compressed(body.plain)
      await body.gzipped
      return body
    })
  }

  const bodyFor = (
    format: Format,
    query: MapQuery,
    acceptsGzip: boolean,
  ): Promise<Body | ApiError> | Body => {
    const { box, since, limit, includeHidden } = query
    if (includeHidden || limit !== null || (box && !since)) return queuedBody(format, query, acceptsGzip)
    if (!since) return publicMap(format, { reset: false })
    const moved = map.countMovedSince(since.shards)
    const isLarge = moved > Math.max(DELTA_MOVEMENTS_MAX, map.count({ includeHidden: false }) / 2)
    const needs = map.changes.deltaNeeds(since.changes)
    if (!box && (isLarge || needs === 'reset')) return publicMap(format, { reset: true })
    return moved <= INLINE_MOVEMENTS_MAX && needs === 'log'
      ? build(format, select(query), includeHidden)
      : queuedBody(format, query, acceptsGzip)
  }

  return {
    /** The whole response, compressed where the client accepts it and it is worth it. */
    respond: async (
      format: Format,
      query: MapQuery,
      { acceptsGzip }: { acceptsGzip: boolean },
    ): Promise<Response | ApiError> => {
      const body = await bodyFor(format, query, acceptsGzip)
      if (body instanceof ApiError) return body
      const headers = new Headers({
        'content-type': MEDIA_TYPE[format],
        'cache-control': query.includeHidden ? 'no-store' : 'no-cache',
        vary: 'accept-encoding',
      })
      if (!acceptsGzip || body.plain.length < GZIP_BYTES_MIN) return new Response(body.blob, { headers })
      body.gzipped ??= compressed(body.plain)
      headers.set('content-encoding', 'gzip')
      return new Response(await body.gzipped, { headers })
    },
  }
}
