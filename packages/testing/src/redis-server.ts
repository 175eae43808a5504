import { newServerFolder, startTestServer, type TestServer } from './server.ts'
import { toolchainDir } from './toolchain.ts'
import { until } from './until.ts'

export type TestRedisOptions = {
  /** As Redis writes it: `1mb`. Left out: no limit. */
  maxmemory?: string
  /** Further settings: `['--appendfsync', 'always']`. */
  extraArgs?: string[]
  /** On a disk of the caller's. */
  folder?: string
}

/** A real, empty redis-server that the caller has to itself, with the append-only file on. */
export function testRedisServer({
  folder = newServerFolder('redis'),
  ...options
}: TestRedisOptions = {}): Promise<TestServer> {
  return startTestServer({ kind: 'redis', folder, options: { ...options, toolchainDir } })
}

/** Waits until Redis has written all that it acknowledged. `info` gives the text of `INFO persistence`. */
export const untilWritten = (info: () => Promise<unknown>): Promise<unknown> =>
  until(async () => /^aof_buffer_length:0\s*$/m.test(String(await info())), {
    what: 'Redis has written what it acknowledged',
  })
