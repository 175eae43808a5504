import { ApiError } from '@palanquin/service/http/api-error'
import type { BoundedQueue } from '../../bounded-queue.ts'
import { encodeCursor } from '../positions/cursor.ts'
import { createSharedBuilds } from '../shared-builds.ts'
import { type Body, buildBody } from './body.ts'
import { createBuffers } from './buffers.ts'
import { type Format, MEDIA_TYPE } from './formats.ts'
import { createPublicMap } from './public-snapshot.ts'
import { type MapQuery, resetTo, type Selection, snapshotOf, type View } from './selection.ts'
import { deltaOf, pageOf, updatesSince } from './updates.ts'

/** Built responses are shared between clients with the same query so long, and this many at a time. */
const CACHE_MS = 250
const CACHED_MAX = 16
/** Compression hardly shortens a smaller body. */
const GZIP_BYTES_MIN = 1_024
/** A delta of this many movements is built at once: it takes a millisecond. */
const INLINE_MOVEMENTS_MAX = 500
/** A delta of more than half of the map, and more than this, costs more than the public map that is built anyway. */
const DELTA_MOVEMENTS_MAX = 1_000

export type MapResponses = ReturnType<typeof createMapResponses>

/**
 * Responses of `GET /data`. The public map is shared as bytes, small deltas are built at once, and everything else goes
 * through a bounded queue, shared by clients with the same query.
 */
export function createMapResponses({ view, builds }: { view: View; builds: BoundedQueue }) {
  const { map } = view
  const buffers = createBuffers()
  const publicMap = createPublicMap({ view, buffers })
  const shareBuild = createSharedBuilds<Body>({ builds, ttlMs: CACHE_MS, entriesMax: CACHED_MAX })

  const build = (format: Format, query: MapQuery): Body =>
    buildBody(buffers, format, select(query), { ...view, includeHidden: query.includeHidden })

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
      const body = build(format, query)
      if (acceptsGzip && body.length >= GZIP_BYTES_MIN) await body.gzipped()
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
    const moved = map.movements.countSince(since.shards)
    const isLarge = moved > Math.max(DELTA_MOVEMENTS_MAX, map.slots.count({ includeHidden: false }) / 2)
    const needs = map.changes.deltaNeeds(since.changes)
    if (!box && (isLarge || needs === 'reset')) return publicMap(format, { reset: true })
    return moved <= INLINE_MOVEMENTS_MAX && needs === 'log'
      ? build(format, query)
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
      if (!acceptsGzip || body.length < GZIP_BYTES_MIN) return new Response(body.plain(), { headers })
      headers.set('content-encoding', 'gzip')
      return new Response(await body.gzipped(), { headers })
    },
  }
}
