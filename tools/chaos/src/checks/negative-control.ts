import { setTimeout as sleep } from 'node:timers/promises'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import { DEAD_KEY } from '@palanquin/events/stream'
import type { LineStub } from '@palanquin/line-simulator/stub'
import type { Sql } from 'postgres'
import type { Deployment } from '../deployment.ts'
import type { NegativeControl } from '../run.ts'

const ENTRIES = 5
const AFTER_MS = 1_000

/** The negative control that the audit must catch: it removes unstored entries from the buffer. */
export const negativeControl: NegativeControl = {
  during: async ({ run }: Deployment) => {
    await sleep(AFTER_MS)
    const redis = new Bun.RedisClient(run.redisUrl)
    for (let taken = 0; taken < ENTRIES; ) {
      for (let shard = 0; shard < SHARD_COUNT; shard++)
        taken += Number(
          await redis.send('XTRIM', [`{s${String(shard).padStart(2, '0')}}:points`, 'MAXLEN', '0']),
        )
      await sleep(20)
    }
    redis.close()
  },
  after: async (sql: Sql, { run }: Deployment, { control }: LineStub) => {
    await sql`UPDATE tracking.tracks SET checkins = checkins + 1
               WHERE user_id = (SELECT min(user_id) FROM tracking.tracks)`
    await sql`INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, source, received_at)
               SELECT 'unknown', recorded_at, 1, lat, lng, source, received_at FROM tracking.all_points LIMIT 1`
    const redis = new Bun.RedisClient(run.redisUrl)
    await redis.send('XADD', [DEAD_KEY, '*', 'group', 'control'])
    redis.close()
    const message = control.deliveries.all().find(({ by }) => by !== 'reply')
    if (message) control.deliveries.add(message)
  },
}
