import { type Body, buildBody } from './body.ts'
import type { Buffers } from './buffers.ts'
import type { Format } from './formats.ts'
import { resetTo, snapshotOf, type View } from './selection.ts'

/** The public map is built at most this often, whatever the number of clients; */
const FRESH_MS = 250
/** less often where building it would take more than an eighth of the time (positions are shown within 2 s). */
const FRESH_MS_MAX = 1_000
const BUILD_SHARE = 8
/** A map that was not asked for so long is not kept. */
const UNUSED_MS_MAX = 10_000

/**
 * The bytes of a large map that is no longer shown are collected at once, and before the next one: by itself the collector
 * waits until as much again is used as is kept, and where it runs beside the process it frees bytes seconds later. With all
 * that is known in columns there is little that it has to walk over.
 */
const COLLECTED_BYTES_MIN = 4_194_304

type Snapshot = {
  body: Body
  version: number
  builtAt: number
  freshForMs: number
  usedAt: number
  unused: ReturnType<typeof setTimeout>
}

/** The whole public map, shared by all clients; `reset` is the same in response to a cursor. */
export function createPublicMap({
  view,
  buffers,
  now = () => performance.now(),
}: {
  view: View
  buffers: Buffers
  /** Milliseconds of a clock that nobody sets: by another one a map stayed as it was for as long as it was set back. */
  now?: () => number
}) {
  const { map } = view
  const snapshots = new Map<string, Snapshot>()

  const drop = (key: string): void => {
    const { body, unused } = snapshots.get(key) ?? {}
    snapshots.delete(key)
    if (!body) return
    clearTimeout(unused)
    // A caller that got it in this tick asks for its bytes in a moment.
    setTimeout(() => {
      body.release()
      if (body.length > COLLECTED_BYTES_MIN) Bun.gc(true)
    })
  }
  const dropUnused = (key: string): void => {
    const snapshot = snapshots.get(key)
    if (!snapshot) return
    const unusedMs = performance.now() - snapshot.usedAt
    if (unusedMs >= UNUSED_MS_MAX) drop(key)
    else snapshot.unused = dropLater(key, UNUSED_MS_MAX - unusedMs)
  }
  /** The timer knows the key alone: ten seconds of maps stayed because their timers held them. */
  const dropLater = (key: string, ms: number) => setTimeout(dropUnused, ms, key).unref()

  return (format: Format, { reset }: { reset: boolean }): Body => {
    const key = `${format} ${reset}`
    const cached = snapshots.get(key)
    if (cached && (cached.version === map.version() || now() - cached.builtAt < cached.freshForMs)) {
      cached.usedAt = performance.now()
      return cached.body
    }
    drop(key)
    const started = performance.now()
    const version = map.version()
    const selection = snapshotOf(view, { box: null, includeHidden: false })
    const body = buildBody(buffers, format, reset ? resetTo(selection) : selection, {
      ...view,
      includeHidden: false,
    })
    const usedAt = performance.now()
    const freshForMs = Math.min(Math.max(FRESH_MS, (usedAt - started) * BUILD_SHARE), FRESH_MS_MAX)
    const unused = dropLater(key, UNUSED_MS_MAX)
    snapshots.set(key, { body, version, builtAt: now(), freshForMs, usedAt, unused })
    return body
  }
}
