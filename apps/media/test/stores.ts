import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase } from '@palanquin/db/client'
import { connectObjects } from '@palanquin/objects/objects'
import type { Log } from '@palanquin/service/log'
import { connectRedis } from '@palanquin/service/redis'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'

/**
 * A database and a folder of objects, with the service's connections to them. `sql` is the tests' own connection. The
 * folder can go `away`, as an unmounted disk does, and come `back`.
 */
export async function openStores({ log, folder = newFolder() }: { log: Log; folder?: string | undefined }) {
  const database = await testDatabase()
  const db = connectDatabase({ url: database.url, name: 'test', log, deadlineMs: TEST_TIMEOUT_MS })
  const objects = connectObjects({ folder }, { deadlineMs: TEST_TIMEOUT_MS })
  await objects.make()
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  const elsewhere = `${folder}-away`
  return {
    db,
    objects,
    sql,
    away: () => renameSync(folder, elsewhere),
    back: () => renameSync(elsewhere, folder),
    keys: async (prefix = '') => (await Array.fromAsync(objects.list(prefix))).flat().map(({ key }) => key),
    close: async () => {
      objects.close()
      await Promise.all([db.close(), sql.end({ timeout: 5 })])
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'palanquin-test-objects-'))

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
