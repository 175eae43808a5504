/** The server's clock, by the `Date` of its answers: that of a phone may be hours wrong. */

/** On what a service worker kept: when it was true, in epoch milliseconds. */
export const STORED_AT = 'x-stored-at'
const KEPT = 'clock-offset'
/** `Date` has whole seconds, and an answer takes its time: a clock that is so close is right. */
const TOLERANCE_MS = 2_000

let offsetMs = keptOffset()
let isMeasured = false
/** Another value than at the last measurement: the phone's clock was set, or the phone has slept. */
let skewMs = 0
const skewNow = () => Date.now() - performance.now()

/** The present time in epoch milliseconds, by the server's clock as last seen. */
export const nowMs = (): number => Date.now() + offsetMs

/** Whether a server has answered since this page was opened. */
export const knowsServerClock = (): boolean => isMeasured

/** The server's time at which the phone's clock says `phoneMs`. */
export const serverTimeOf = (phoneMs: number): number => phoneMs + offsetMs
/** What the phone's clock says at a time of the server's. */
export const phoneTimeOf = (serverMs: number): number => serverMs - offsetMs

/** Learns from an answer. One from a cache is older than it seems, so that the latest `Date` counts. */
export function noteDate({ headers }: Response): void {
  const dateMs = Date.parse(headers.get('date') ?? '') + Number(headers.get('age') ?? 0) * 1_000
  if (!Number.isFinite(dateMs) || headers.has(STORED_AT)) return
  const difference = dateMs - Date.now()
  const measuredMs = Math.abs(difference) <= TOLERANCE_MS ? 0 : difference
  const isSame = isMeasured && Math.abs(skewNow() - skewMs) <= TOLERANCE_MS
  if (isSame && measuredMs <= offsetMs) return
  offsetMs = measuredMs
  skewMs = skewNow()
  isMeasured = true
  keepOffset()
}

function keptOffset(): number {
  try {
    return Number(localStorage.getItem(KEPT) ?? 0)
  } catch {
    return 0 // a service worker, the build, or a browser that keeps nothing
  }
}

function keepOffset(): void {
  try {
    if (offsetMs === 0) localStorage.removeItem(KEPT)
    else localStorage.setItem(KEPT, String(offsetMs))
  } catch {
    // the next page learns it anew
  }
}
