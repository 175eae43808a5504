/** One hash tag, so that a script may use them together on Redis Cluster. */
export const INBOX = '{line}:inbox'
/** Events that could not be handled, for a person to look at. */
export const DEAD = '{line}:dead'
/** That a webhook event was taken in. */
export const seenKey = (eventId: string): string => `{line}:seen:${eventId}`
/** That a person was told lately how the bot is used. */
export const helpedKey = (userId: string): string => `{line}:helped:${userId}`

export const REDIS_DEADLINE_MS = 1_000
/** An erasure waits for a busy Redis. */
export const ERASE_DEADLINE_MS = 4_000
