import { SHARD_COUNT, shardTag } from '@palanquin/domain/ids'
import type { Redis } from './redis.ts'

const MAJOR_MIN = 7
/** Of every node of a cluster at least one is among them. */
const KEYS = Array.from({ length: SHARD_COUNT }, (_, shard) => shardTag(shard))

/** What is wrong with a Redis by its INFO; undefined: nothing. Valkey calls itself Redis 7 there. */
export function serverProblem(info: string): string | undefined {
  const fact = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const version = fact('redis_version') ?? ''
  const policy = fact('maxmemory_policy')
  if (Number.parseInt(version, 10) < MAJOR_MIN)
    return `Redis ${version} is too old: Palanquin needs Redis ${MAJOR_MIN} or 8, or Valkey 8. Upgrade the server of REDIS_URL.`
  if (policy !== undefined && policy !== 'noeviction')
    return `Redis evicts (maxmemory-policy ${policy}), and would throw away points that were answered: set maxmemory-policy noeviction.`
  if (fact('aof_enabled') === '0')
    return 'Redis keeps no append-only file, and would lose points that were answered at its next restart: set appendonly yes.'
}

/** What is wrong with any node; undefined: nothing. Rejects while one is away or forbids it (NOPERM). */
export async function redisProblem(redis: Pick<Redis, 'onePerNode' | 'send'>): Promise<string | undefined> {
  const keys = await redis.onePerNode(KEYS)
  const infos = await Promise.all(keys.map((key) => redis.send(key, ['INFO'])))
  return infos.map((info) => serverProblem(String(info))).find((problem) => problem !== undefined)
}

/** What a Redis user without the right to INFO hears. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOPERM')
