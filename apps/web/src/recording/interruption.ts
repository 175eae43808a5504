/** A time without recording: the screen was off, or the page in the background or closed. */
export type Interruption = { seq?: number; userId: string; fromMs: number; toMs: number }

/** Shorter ones are a look at a message: the next fix continues the line. */
const INTERRUPTED_MS_MIN = 60_000
/** After so long a walk is over, and not interrupted: it is not taken up by itself. */
const FORGOTTEN_MS = 12 * 3_600_000

/** What to do with a recording that was last alive at `aliveMs`. */
export function resume({
  aliveMs,
  nowMs,
}: {
  aliveMs: number
  nowMs: number
}): 'over' | 'interrupted' | 'on' {
  const awayMs = nowMs - aliveMs
  if (awayMs >= FORGOTTEN_MS) return 'over'
  return awayMs >= INTERRUPTED_MS_MIN ? 'interrupted' : 'on'
}
