import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stopPostgres } from '@palanquin/embedded/postgres'
import { stopRedis } from '@palanquin/embedded/redis'
import type { Guarded } from './warden.ts'

/** Servers that had to be fetched are kept here once for all tests of this work tree; git ignores it. */
export const TOOLCHAIN_FOLDER =
  process.env.TEST_TOOLCHAIN_DIR ?? fileURLToPath(new URL('../../../.palanquin/toolchain', import.meta.url))

/** An empty folder of its own for a throwaway server. */
export const newServerFolder = (kind: Guarded['kind']): string =>
  mkdtempSync(join(tmpdir(), `palanquin-test-${kind}-`))

/** Where a server of the tests keeps its data and log below its folder. */
export const filesOf = (folder: string) => ({
  dataDir: join(folder, 'data'),
  logFile: join(folder, 'server.log'),
})

/** Ends whatever server runs in that folder, in whatever state it is. */
export async function stopServerIn({ kind, folder }: Guarded): Promise<void> {
  if (kind === 'postgres') await stopPostgres(filesOf(folder))
  if (kind === 'redis') await stopRedis(filesOf(folder))
}
