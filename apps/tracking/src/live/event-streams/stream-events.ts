import type { ApiError } from '@palanquin/service/http/api-error'
import type { BoundedQueue } from '../../bounded-queue.ts'
import { type Cursor, encodeCursor, isSameCursor } from '../positions/cursor.ts'
import { createBuffers } from '../responses/buffers.ts'
import { ByteWriter } from '../responses/byte-writer.ts'
import { type Format, writeData } from '../responses/formats.ts'
import { type MapQuery, resetTo, type Selection, snapshotOf, type View } from '../responses/selection.ts'
import { deltaOf, updatesSince } from '../responses/updates.ts'
import { createSharedBuilds } from '../shared-builds.ts'

/** Clients that subscribe to the same query within this time share the first event. */
const SHARED_MS = 250
/** Of most events. */
const EVENT_BYTES = 16_384

type FirstEvent = { event: Uint8Array; cursor: Cursor }
/** What a client subscribes to; `key` is the same for clients that are sent the same bytes. */
export type Subscription = { format: Format; query: MapQuery; key: string }

export const subscriptionTo = (format: Format, query: MapQuery): Subscription => ({
  format,
  query,
  key: JSON.stringify([format, query.includeHidden, query.box]),
})

/** The events of streams: updates are found once for each cursor, and rendered once for each subscription. */
export function createStreamEvents({ view, builds }: { view: View; builds: BoundedQueue }) {
  const { map } = view
  const buffers = createBuffers()
  const shareBuild = createSharedBuilds<FirstEvent>({ builds, ttlMs: SHARED_MS })

  const eventOf = ({ format, query }: Subscription, selection: Selection): Uint8Array => {
    const writer = new ByteWriter(buffers, EVENT_BYTES)
    writer.text(`id: ${encodeCursor(selection.cursor)}\nevent: points\ndata: `)
    writeData(writer, format, selection, { ...view, includeHidden: query.includeHidden })
    writer.text('\n\n')
    const { written, buffer } = writer.finish()
    const event = written.slice()
    buffers.give(buffer)
    return event
  }

  /** One object for one cursor, so that streams at the same cursor are found by identity. */
  let latest = map.cursor()
  const sharedCursor = (cursor: Cursor): Cursor => {
    if (!isSameCursor(latest, cursor)) latest = cursor
    return latest
  }

  return {
    /** The first event: the whole map, or the updates since `query.since`. Built in the queue. */
    first: (subscription: Subscription): Promise<FirstEvent | ApiError> => {
      const { query } = subscription
      const key = `${subscription.key} ${query.since ? encodeCursor(query.since) : ''}`
      return shareBuild(key, () => {
        const updates = query.since && updatesSince(view, query.since)
        const selection = updates ? deltaOf(view, updates, query) : resetTo(snapshotOf(view, query))
        return { event: eventOf(subscription, selection), cursor: sharedCursor(selection.cursor) }
      })
    },
    /** The updates after a cursor; `eventFor` gives null where none concerns the subscription. */
    after: (since: Cursor) => {
      const updates = updatesSince(view, since)
      const events = new Map<string, Uint8Array | null>()
      return {
        cursor: sharedCursor(updates?.cursor ?? map.cursor()),
        eventFor: (subscription: Subscription): Uint8Array | null => {
          const { key, query } = subscription
          const rendered = events.get(key)
          if (rendered !== undefined) return rendered
          const selection = updates ? deltaOf(view, updates, query) : resetTo(snapshotOf(view, query))
          const isEmpty = updates && selection.slots.length === 0 && selection.removed?.length === 0
          const event = isEmpty ? null : eventOf(subscription, selection)
          events.set(key, event)
          return event
        },
      }
    },
  }
}
