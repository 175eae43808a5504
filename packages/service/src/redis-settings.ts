/** Longest pause between two attempts to reach Redis again. */
const RECONNECT_MS_MAX = 1_000
const CONNECT_TIMEOUT_MS = 2_000
/** A sent command without a byte in reply for so long closes the socket. */
const SOCKET_TIMEOUT_MS = 10_000
/** Commands that wait in the client; past it they fail at once instead of piling up. */
const QUEUE_LENGTH_MAX = 50_000

/** How every connection to a Redis behaves: it fails fast, and is made again for ever. */
export const settingsOf = (name: string) => ({
  name,
  disableOfflineQueue: true,
  commandsQueueMaxLength: QUEUE_LENGTH_MAX,
  socket: {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    reconnectStrategy: (retries: number) =>
      Math.min(50 * 2 ** Math.min(retries, 6), RECONNECT_MS_MAX) + Math.random() * 50,
  },
})

export type NodeSettings = ReturnType<typeof settingsOf> & { pingInterval: number }
