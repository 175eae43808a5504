import { connectDatabase } from '@palanquin/db/client'
import type { Log } from '@palanquin/service/log'
import { connectRedis } from '@palanquin/service/redis'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { type TestS3, testS3 } from '@palanquin/testing/s3'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import { connectObjects } from '../src/objects.ts'

/** The variables of a throwaway object store; `changed` overrides some. */
export const s3Variables = (s3: TestS3, changed: Record<string, string> = {}) => ({
  S3_ENDPOINT: s3.url,
  S3_BUCKET: s3.bucket,
  S3_ACCESS_KEY_ID: s3.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  S3_REGION: s3.region,
  ...changed,
})

/**
 * A database and an object store (or the given one, which is closed too), with the service's connections to them. `sql`
 * is the tests' own connection.
 */
export async function openStores({ log, s3: input }: { log: Log; s3?: TestS3 | undefined }) {
  const [database, s3] = await Promise.all([testDatabase(), input ?? testS3()])
  const db = connectDatabase({ url: database.url, name: 'test', log, deadlineMs: TEST_TIMEOUT_MS })
  const objects = connectObjects(s3Variables(s3), { deadlineMs: TEST_TIMEOUT_MS })
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  return {
    db,
    objects,
    sql,
    s3,
    keys: async (prefix = '') => (await Array.fromAsync(objects.list(prefix))).flat().map(({ key }) => key),
    close: async () => {
      objects.close()
      await Promise.all([db.close(), sql.end({ timeout: 5 }), s3.close()])
      await database.close()
    },
  }
}

/** A Redis server, to be killed and restarted, and a client that is connected to it. */
export async function openRedis(log: Log) {
  const server = await testRedis()
  const redis = connectRedis({ url: server.url, name: 'test', log })
  await until(() => redis.isReady, { what: 'a connection to Redis' })
  return {
    redis,
    server,
    close: async () => {
      redis.destroy()
      await server.close()
    },
  }
}
