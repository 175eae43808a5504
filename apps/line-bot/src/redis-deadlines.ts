/** A call within a webhook or a request. */
export const REDIS_DEADLINE_MS = 1_000
/** An erasure waits for a busy Redis. */
export const ERASE_DEADLINE_MS = 4_000
