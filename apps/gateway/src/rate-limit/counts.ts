/** A part of a limit of one key. */
export type Claim = { key: string; amount: number; limit: number; windowMs: number }
/** Claims that are admitted together or not at all; with `takenAtMs`, those of that time are given back. */
export type CountRequest = { claims: readonly Claim[]; takenAtMs?: number }
/** A key's window after a request. `freeInMs`: until its oldest entry leaves. */
export type Count = { used: number; freeInMs: number }
/** `refused`: the place of the first claim that has no room, or -1. */
export type CountResult = { refused: number; counts: readonly Count[]; atMs: number }

/** One slot of a Redis Cluster, so that one script counts all windows of a request. */
export const PREFIX = 'rl:{limits}:'
/** Up to this limit a window keeps the time of each call; of a higher one those of `SLOTS` and one more. */
export const FEW = 32
/** Calls of a sixteenth of a window leave it together, with the last of them: later than exact, never earlier. */
export const SLOTS = 16

export const slotMsOf = ({ limit, windowMs }: Claim): number =>
  limit <= FEW ? 1 : Math.ceil(windowMs / SLOTS)
