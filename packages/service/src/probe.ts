import { withDeadline } from './deadline.ts'

/** A part's state as `/ready` says it: `detail` is for operators, `note` for everybody. */
export type Probe = { ok: boolean; detail?: string; note?: string }

/** A probe pings again at most this often, so that a flood of health calls does not reach the store. */
const PROBE_FRESH_MS = 200
/** Below the second that `/health` has in all. */
const PROBE_DEADLINE_MS = 500

/** Pings a store within PROBE_DEADLINE_MS; never rejects, and calls at the same time share one ping. */
export function storeProbe(what: string, ping: () => PromiseLike<unknown>): () => Promise<Probe> {
  let latest: { at: number; result: Promise<Probe> } | undefined
  return () => {
    const at = performance.now()
    if (latest && at - latest.at < PROBE_FRESH_MS) return latest.result
    const result = withDeadline(Promise.resolve().then(ping), { what, deadlineMs: PROBE_DEADLINE_MS }).then(
      (): Probe => ({ ok: true }),
      (error: unknown): Probe => ({
        ok: false,
        detail: `${what}: ${error instanceof Error ? error.message : 'no answer'}`,
      }),
    )
    latest = { at, result }
    return result
  }
}
