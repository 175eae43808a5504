import { connectDatabase } from '@palanquin/db/client'
import { databaseProblem } from '@palanquin/db/requirements'
import { createLog } from '@palanquin/service/log'
import { connectRedis, untilThere } from '@palanquin/service/redis'
import { redisProblem } from '@palanquin/service/redis-requirements'

const DEADLINE_MS = 1_500
const log = createLog({ service: 'launcher', level: 'silent' })

/** Why a Redis does not serve this program; undefined where it does, or is away. */
export async function redisProblemAt(url: string): Promise<string | undefined> {
  const redis = connectRedis({ url, name: 'launcher', log })
  try {
    await untilThere(redis, DEADLINE_MS)
    return await redisProblem(redis)
  } catch {
    return undefined // it is away, or does not let us ask; the services say so
  } finally {
    redis.destroy()
  }
}

/** Why a PostgreSQL does not serve this program; undefined where it does, or is away. */
export async function databaseProblemAt(url: string): Promise<string | undefined> {
  const db = connectDatabase({ url, name: 'launcher', log, max: 1, deadlineMs: DEADLINE_MS })
  try {
    return await databaseProblem(db)
  } catch {
    return undefined // `health` says that it is away
  } finally {
    await db.close()
  }
}
