import { existsSync, readdirSync } from 'node:fs'
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
  const path = Bun.which('redis-server', { PATH: process.env.PATH ?? '' })
  if (path && works({ path, env: {} })) return { path, env: {} }
  const found = await fetchedRedis(toolchainDir, options)
  if ('path' in found) return found
  const lacking = path ? `${path} is older than ${MAJOR_MIN}.0` : 'there is no redis-server on the PATH'
  const advice = `${installHint()}, or set REDIS_URL to one of your own`
  throw new Error(`No Redis: ${lacking}, and ${found.problem}; ${advice}.`)
}

/** The redis-server of the toolchain, fetched by the first process that wants it; half a sentence why there is none. */
export async function fetchedRedis(
  toolchainDir: string,
  options: FetchOptions,
): Promise<RedisBinary | { problem: string }> {
  const folder = join(toolchainDir, `redis-${process.platform}-${process.arch}`)
  const earlier = fetchedIn(folder)
  if (earlier) return earlier
  return await withLock(`${folder}.lock`, async () => {
    const meanwhile = fetchedIn(folder) // by the process that held the lock before
    if (meanwhile) return meanwhile
    const problem = await fetchRedis(folder, options)
    const unfit = `the one that was fetched is older than ${MAJOR_MIN}.0 or does not run here`
    return fetchedIn(folder) ?? { problem: problem ?? unfit }
  })
}

function fetchedIn(folder: string): RedisBinary | undefined {
  const binary = { path: join(folder, 'usr/bin/redis-server'), env: librariesOf(folder) }
  return works(binary) ? binary : undefined
}

/** Where a program that was fetched into `folder` finds its libraries. */
export function librariesOf(folder: string): { LD_LIBRARY_PATH: string } {
  const libraries = [join(folder, 'usr/lib'), join(folder, 'lib')].flatMap(withChildren)
  return { LD_LIBRARY_PATH: libraries.join(':') }
}

/** `lib` and the folder per architecture that Debian puts below it. */
function withChildren(folder: string): string[] {
  if (!existsSync(folder)) return [] // not fetched, or packages without libraries
  const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [folder, ...children.map(({ name }) => join(folder, name))]
}

function works({ path, env }: RedisBinary): boolean {
  try {
    const asked = Bun.spawnSync([path, '--version'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return Number(/v=(\d+)\./.exec(asked.stdout.toString())?.[1]) >= MAJOR_MIN
  } catch {
    return false // no such program, or none for this machine
  }
}

function installHint(): string {
  if (process.platform === 'darwin') return 'run `brew install redis`'
  return 'install it (`apt-get install redis-server`, `dnf install redis`, `apk add redis`)'
}
