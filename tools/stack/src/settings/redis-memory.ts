import { totalmem } from 'node:os'
import { LauncherError } from '../launcher-error.ts'
import type { Settings } from './settings.ts'

/** The rest is for PostgreSQL, the services, and the copy that Redis makes while it rewrites its file. */
const SHARE_OF_MACHINE = 0.4
/** Less would not hold the event bus, limits and caches. */
const BYTES_MIN = 256 * 1024 ** 2
/** As Redis writes it. */
const SIZE = /^[1-9]\d{0,15}(?:b|k|kb|m|mb|g|gb)?$/i

/**
 * `maxmemory` of the embedded Redis: REDIS_MAXMEMORY, or four tenths of the machine. At the limit Redis
 * refuses writes instead of evicting: check-ins stay in the journals, syncs are 503.
 * @throws LauncherError when the setting is not a size
 */
export function redisMemory({ REDIS_MAXMEMORY }: Settings, machineBytes = machineMemory()): string {
  if (REDIS_MAXMEMORY === undefined)
    return `${Math.max(BYTES_MIN, Math.round((machineBytes * SHARE_OF_MACHINE) / BYTES_MIN) * BYTES_MIN)}`
  if (SIZE.test(REDIS_MAXMEMORY)) return REDIS_MAXMEMORY.toLowerCase()
  throw new LauncherError(`REDIS_MAXMEMORY=${REDIS_MAXMEMORY}: expected a size such as 2gb or 500mb.`)
}

/** Bytes that this process may use: the machine's, or its control group's limit where that is lower. */
function machineMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
