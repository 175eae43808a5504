import { type Body, buildBody } from './body.ts'
import type { Format } from './formats.ts'
import { resetTo, snapshotOf, type View } from './selection.ts'

/** The public map is built at most this often, whatever the number of clients; */
const FRESH_MS = 250
/** less often where building it would take more than an eighth of the time (positions are shown within 2 s). */
const FRESH_MS_MAX = 1_000
const BUILD_SHARE = 8

type Snapshot = Body & { version: number; builtAt: number; freshForMs: number }

/** The whole public map, shared by all clients; `reset` is the same in response to a cursor. */
export function createPublicMap({ view, now }: { view: View; now: () => number }) {
  const { map, participants } = view
  const snapshots = new Map<string, Snapshot>()
  return (format: Format, { reset }: { reset: boolean }): Body => {
    const key = `${format} ${reset}`
    const cached = snapshots.get(key)
    if (cached && (cached.version === map.version() || now() - cached.builtAt < cached.freshForMs))
      return cached
    const started = performance.now()
    const version = map.version()
    const selection = snapshotOf(view, { box: null, includeHidden: false })
    const context = { participants, includeHidden: false }
    const body = buildBody(format, reset ? resetTo(selection) : selection, context)
    const tookMs = performance.now() - started
    const freshForMs = Math.min(Math.max(FRESH_MS, tookMs * BUILD_SHARE), FRESH_MS_MAX)
    const snapshot = { ...body, version, builtAt: now(), freshForMs }
    snapshots.set(key, snapshot)
    return snapshot
  }
}
