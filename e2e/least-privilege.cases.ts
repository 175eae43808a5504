import { beforeAll, expect, describe as group, test } from 'bun:test'
import { SERVICE_ROLES, type ServiceRole } from '@palanquin/db/roles'
import { REDIS_USERS, type RedisUser } from '@palanquin/stack/settings/redis-users'
import { serviceCredentials } from '@palanquin/stack/settings/service-credentials'
import type { ServiceCredentials } from '@palanquin/stack/settings/service-environment'
import { isRedisCluster, onOneServer } from '@palanquin/testing/redis'
import postgres from 'postgres'
import { stack } from './plain-stack.ts'

let own: ServiceCredentials
beforeAll(async () => {
  const { redisUrl } = stack.running()
  own = await serviceCredentials(stack.home, isRedisCluster ? { REDIS_URL: redisUrl } : {}, stack.running())
})

const IN_REDIS = onOneServer('in Redis', 'who brings a Redis of their own makes its users')
group.skipIf(isRedisCluster)(IN_REDIS, () => {
  const send = async (user: RedisUser, command: string, args: string[]): Promise<unknown> => {
    const client = new Bun.RedisClient(own.redisUrls[user], { autoReconnect: false })
    try {
      return await client.send(command, args)
    } finally {
      client.close()
    }
  }
  const NO_RIGHT = /NOPERM|The user executing the script can't/
  const RULING = [
    'FLUSHALL',
    'FLUSHDB',
    'KEYS *',
    'CONFIG GET *',
    'CONFIG SET maxmemory 1',
    'SHUTDOWN',
    'ACL LIST',
    'SCRIPT FLUSH',
    'FUNCTION FLUSH',
    'REPLICAOF NO ONE',
    'SAVE',
    'MONITOR',
    'CLIENT KILL TYPE normal',
    'SWAPDB 0 1',
    'MODULE LIST',
    'MIGRATE 127.0.0.1 1 x 0 1',
  ]
  test.each(REDIS_USERS)(
    '%s has no administrative command: no FLUSH, CONFIG, KEYS or the like',
    async (user) => {
      for (const line of RULING) {
        const [command = '', ...args] = line.split(' ')
        await expect(send(user, command, args).then(() => line)).rejects.toThrow(NO_RIGHT)
      }
      expect(await send(user, 'PING', [])).toBe('PONG')
    },
  )

  test.each([
    ['gateway', 'GET', ['activity']],
    ['gateway', 'XADD', ['{ev}:events', '*', 'type', 'x']],
    ['tracking', 'SET', ['activity', 'ended']],
    ['tracking', 'DEL', ['rl:{x}']],
    ['engagement', 'DEL', ['{s00}:points']],
    ['engagement', 'RPUSH', ['{s00}:pending:U1', 'x']],
    ['map', 'XADD', ['{s00}:points', '*', 'u', 'x']],
    ['map', 'DEL', ['{ev}:events']],
    ['map', 'GET', ['activity']],
    ['media', 'SET', ['{s00}:stats:U1', '{}']],
    ['line-bot', 'SET', ['activity', 'ended']],
    ['line-bot', 'EVAL', ["return redis.call('GET', '{s00}:stats:U1')", '0']],
  ] satisfies [RedisUser, string, string[]][])(
    '%s may not %s %p, which another service writes',
    async (user, command, args) => {
      await expect(send(user, command, args)).rejects.toThrow(NO_RIGHT)
    },
  )
})

group('in PostgreSQL', () => {
  const attempt = async (role: ServiceRole, statement: string): Promise<string> => {
    const sql = postgres(own.databaseUrls[role], { max: 1, onnotice: () => {} })
    try {
      await sql.unsafe(statement)
      return 'done'
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  const INSUFFICIENT_PRIVILEGE = '42501'
  const SCHEMA = {
    tracking: 'tracking',
    map: 'tracking',
    engagement: 'engagement',
    media: 'media',
    'line-bot': 'line',
  }

  test.each(SERVICE_ROLES)('%s alters no table, creates none, and truncates none', async (role) => {
    const schema = SCHEMA[role]
    for (const statement of [
      `CREATE TABLE ${schema}.mine (x int)`,
      'CREATE TABLE public.mine (x int)',
      'CREATE SCHEMA mine',
      'CREATE ROLE mine',
      `TRUNCATE ${schema}.outbox`,
      `DROP TABLE ${schema}.outbox`,
      `ALTER TABLE ${schema}.outbox ADD COLUMN x int`,
      `DROP SCHEMA ${schema} CASCADE`,
      "SELECT pg_read_file('/etc/passwd')",
      `COPY ${schema}.outbox TO PROGRAM 'cat'`,
    ])
      expect([statement, await attempt(role, statement)]).not.toEqual([statement, 'done'])
    const readable = role === 'map' ? 'tracks' : 'outbox'
    expect(await attempt(role, `SELECT 1 FROM ${schema}.${readable}`)).toBe('done')
  })

  test.each([
    ['tracking', 'SELECT 1 FROM engagement.survey_history'],
    ['tracking', 'UPDATE engagement.participants SET user_id = user_id'],
    ['tracking', 'SELECT 1 FROM line.users'],
    ['map', 'UPDATE tracking.tracks SET walked_km = 1'],
    ['map', 'DELETE FROM tracking.points'],
    ['map', 'SELECT 1 FROM tracking.outbox'],
    ['map', 'SELECT 1 FROM engagement.survey_history'],
    ['map', 'DELETE FROM tracking.carried_points'],
    ['engagement', 'DELETE FROM tracking.points'],
    ['engagement', 'DELETE FROM tracking.beacon_devices'],
    ['engagement', 'UPDATE tracking.tracks SET walked_km = 1'],
    ['engagement', 'DELETE FROM media.photos'],
    ['media', 'UPDATE engagement.activity SET status = status'],
    ['media', 'SELECT 1 FROM tracking.points'],
    ['line-bot', 'UPDATE engagement.roles SET role = role'],
    ['line-bot', 'SELECT 1 FROM engagement.feedback'],
    ['line-bot', 'SELECT 1 FROM engagement.lost_cases'],
    ['media', 'DELETE FROM engagement.lost_cases'],
  ] satisfies [ServiceRole, string][])('%s is refused: %s', async (role, statement) => {
    expect(await attempt(role, statement)).toBe(INSUFFICIENT_PRIVILEGE)
  })
})
