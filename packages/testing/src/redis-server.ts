import { fileURLToPath } from 'node:url'
import { newServerFolder, startTestServer, type TestServer } from './server.ts'

/** A redis-server that had to be fetched is kept here once, for all tests of this work tree; git ignores it. */
const toolchainDir =
  process.env.TEST_TOOLCHAIN_DIR ?? fileURLToPath(new URL('../../../.palanquin/toolchain', import.meta.url))

export type TestRedisOptions = {
  /** As Redis writes it: `1mb`. Left out: no limit. */
  maxmemory?: string
  /** Further settings: `['--appendfsync', 'always']`. */
  extraArgs?: string[]
  /** On a disk of the caller's. */
  folder?: string
}

/** A real, empty redis-server that the caller has to itself, with the append-only file on. Starts in some 50 ms. */
export function testRedisServer({
  folder = newServerFolder('redis'),
  ...options
}: TestRedisOptions = {}): Promise<TestServer> {
  return startTestServer({
    kind: 'redis',
    folder,
    options: { ...options, toolchainDir },
  })
}
