import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REDIS_READS, REDIS_WRITES } from '@palanquin/db/redis-keys'
import { keepSecret, writeAtomically } from '@palanquin/embedded/file'
import type { Home } from '../run-state/home.ts'
import { GATEWAY, SERVICES } from '../units/services.ts'

export const REDIS_USERS = [GATEWAY, ...SERVICES] as const
export type RedisUser = (typeof REDIS_USERS)[number]

/**
 * Data and scripts, without commands that administer or scan the server: FLUSHALL, CONFIG, KEYS, SHUTDOWN
 * and the like are `@dangerous` or not in these groups.
 */
const COMMANDS =
  '-@all +@read +@write +@connection +@transaction -@dangerous -function -scan -randomkey +eval +eval_ro +evalsha +evalsha_ro +script|load +time +info'
/**
 * Tracking scans for the duplicate keys of an erased participant, whose places are unknown. The map only
 * reads.
 */
const MORE_COMMANDS: Partial<Record<RedisUser, string>> = { tracking: '+scan', map: '-@write' }

/** The patterns of the keys that a user may touch; `%R~` is read-only. */
const keysOf = (user: RedisUser): string[] => [
  ...(REDIS_READS[user] ?? []).map((key) => `%R~${key}`),
  ...Object.keys(REDIS_WRITES[user] ?? {}).map((key) => `~${key}`),
]

const passwordOf = (home: Home, user: RedisUser): string => keepSecret(home.secret(`redis-${user}`))

/**
 * Writes the access list of a home's Redis: the launcher's own user, and one per service. The file name
 * contains a hash of its content, because a running Redis is adopted only if it was started with the same
 * files.
 */
export function writeAccessList(home: Home): string {
  const lines = [
    `user default on ${hashed(keepSecret(home.secret('redis')))} ~* &* +@all`,
    ...REDIS_USERS.map((user) =>
      [
        `user ${user} on ${hashed(passwordOf(home, user))} resetchannels`,
        ...keysOf(user),
        COMMANDS,
        MORE_COMMANDS[user] ?? '',
      ]
        .join(' ')
        .trim(),
    ),
  ]
  const text = `${lines.join('\n')}\n`
  const file = home.secret(`redis-users-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.acl`)
  writeAtomically(file, text)
  for (const name of readdirSync(dirname(file)))
    if (/^redis-users-\w+\.acl$/.test(name) && join(dirname(file), name) !== file)
      rmSync(join(dirname(file), name))
  return file
}

const hashed = (password: string): string => `#${createHash('sha256').update(password).digest('hex')}`

/** The URL of the same Redis with the user of a service. */
export function redisUrlOf(home: Home, user: RedisUser, redisUrl: string): string {
  const address = new URL(redisUrl)
  address.username = user
  address.password = passwordOf(home, user)
  return address.href
}
