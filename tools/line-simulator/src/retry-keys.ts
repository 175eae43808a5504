/** How long LINE remembers that it accepted a request (LINE's reference, retrying). */
const RETRY_KEY_MEMORY_MS = 24 * 3_600_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export type SentMessage = { id: string; quoteToken?: string }
export type Accepted = { requestId: string; sentMessages?: SentMessage[] | undefined }

export const isRetryKey = (key: string): boolean => UUID.test(key)

/** Requests that were accepted under a retry key. A refused one leaves its key free. */
export function createRetryKeys(now: () => number) {
  const accepted = new Map<string, Accepted & { atMs: number }>()
  return {
    accept: (key: string, request: Accepted): void =>
      void accepted.set(key.toLowerCase(), { ...request, atMs: now() }),
    find: (key: string): Accepted | undefined => {
      const found = accepted.get(key.toLowerCase())
      return found && now() - found.atMs < RETRY_KEY_MEMORY_MS ? found : undefined
    },
  }
}
