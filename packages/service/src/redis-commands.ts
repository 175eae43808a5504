import type { EventEmitter } from 'node:events'
import type { RedisClientType, RedisClusterType } from 'redis'

/** A stream, and the id after which it is read. */
export type StreamFrom = { key: string; id: string }
export type StreamEntries = { key: string; entries: { id: string; message: Record<string, string> }[] }
export type ReadStreams = (
  streams: StreamFrom[],
  options: { count: number; waitMs?: number },
) => Promise<StreamEntries[]>

/** Commands that differ in a cluster, that change a client, and channels. */
type Different =
  | keyof EventEmitter
  | `${string}${'ubscribe' | 'UBSCRIBE'}`
  | 'multi'
  | 'MULTI'
  | 'ping'
  | 'PING'
  | 'sendCommand'
  | 'isReady'
  | 'connect'
  | 'destroy'
  | 'duplicate'
  | 'quit'
  | 'withCommandOptions'
  | 'withTypeMapping'

/** Commands for one server and a cluster: all keys of a command or script carry the same hash tag. */
export type Commands = Pick<
  RedisClientType,
  Exclude<keyof RedisClientType & keyof RedisClusterType, Different>
>

/** A Redis, be it one server or a cluster. */
export type Redis = Commands & {
  /** Whether keys may be on several nodes: then a script has only keys of one hash tag. */
  readonly isCluster: boolean
  /** Whether all of it can be reached now. */
  readonly isReady: boolean
  on(event: 'ready', listener: () => void): unknown
  /** Every node answers, or it rejects. */
  ping(): Promise<unknown>
  /** Sends a command as it stands to where `key` is. */
  send(key: string, command: string[]): Promise<unknown>
  /** What streams hold behind the given ids; waits for the first entry to come. */
  readStreams: ReadStreams
  /** Of these keys as many as there are nodes that hold them, each on another. */
  onePerNode(keys: readonly string[]): Promise<string[]>
  /** A name for the server that holds a key now: another one may have less, if it was a replica. */
  nodeOf(key: string): Promise<string>
  /** Lets go at once; commands under way reject. */
  destroy(): void
}
