import { startRedis } from '@palanquin/embedded/redis'
import { startTestServer, type TestServer } from './server.ts'
import { filesOf, TOOLCHAIN_FOLDER } from './server-folder.ts'

export type TestRedisOptions = {
  /** As Redis writes it: `1mb`. Left out: no limit. */
  maxmemory?: string
  /** Further settings: `['--appendfsync', 'always']`. */
  extraArgs?: string[]
}

/** A real, empty redis-server that the caller has to itself, with the append-only file on. Starts in some 50 ms. */
export function testRedis(options: TestRedisOptions = {}): Promise<TestServer> {
  return startTestServer('redis', (folder) =>
    startRedis({ ...filesOf(folder), toolchainDir: TOOLCHAIN_FOLDER, ...options }),
  )
}
