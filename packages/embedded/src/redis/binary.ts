import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from '../lock.ts'
import { type FetchOptions, fetchRedis } from './fetch.ts'

const MAJOR_MIN = 7 // streams and scripts behave as the services expect from 7.0 on

export type RedisBinary = { path: string; env: Record<string, string> }

/**
 * A redis-server of at least version 7.0: the PATH's, else the one fetched into `toolchainDir` before, else one
 * fetched there now. Rejects with a sentence that says what to install.
 */
export async function findRedis(toolchainDir: string, options: FetchOptions): Promise<RedisBinary> {
  const onPath = Bun.which('redis-server')
  if (onPath && works({ path: onPath, env: {} })) return { path: onPath, env: {} }
  const folder = join(toolchainDir, `redis-${process.platform}-${process.arch}`)
  return fetchedIn(folder) ?? (await withLock(`${folder}.lock`, () => fetchInto(folder, onPath, options)))
}

async function fetchInto(folder: string, onPath: string | null, options: FetchOptions): Promise<RedisBinary> {
  const meanwhile = fetchedIn(folder) // by the process that held the lock before
  if (meanwhile) return meanwhile
  const problem = await fetchRedis(folder, options)
  const fetched = fetchedIn(folder)
  if (fetched) return fetched
  const found = onPath ? `${onPath} is older than ${MAJOR_MIN}.0` : 'there is no redis-server on the PATH'
  const why = problem ?? `the one that was fetched is older than ${MAJOR_MIN}.0 or does not run here`
  throw new Error(`No Redis: ${found}, and ${why}; ${installHint()}, or set REDIS_URL to one of your own.`)
}

function fetchedIn(folder: string): RedisBinary | undefined {
  const libraries = [join(folder, 'usr/lib'), join(folder, 'lib')].flatMap(withChildren)
  const binary = { path: join(folder, 'usr/bin/redis-server'), env: { LD_LIBRARY_PATH: libraries.join(':') } }
  return works(binary) ? binary : undefined
}

/** `lib` and the folder per architecture that Debian puts below it. */
function withChildren(folder: string): string[] {
  try {
    const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    return [folder, ...children.map(({ name }) => join(folder, name))]
  } catch {
    return [] // not fetched, or a package without libraries
  }
}

function works({ path, env }: RedisBinary): boolean {
  try {
    const asked = Bun.spawnSync([path, '--version'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return Number(/v=(\d+)\./.exec(asked.stdout.toString())?.[1]) >= MAJOR_MIN
  } catch {
    return false // no such program
  }
}

function installHint(): string {
  if (process.platform === 'darwin') return 'run `brew install redis`'
  return 'install it (`apt-get install redis-server`, `dnf install redis`, `apk add redis`)'
}
