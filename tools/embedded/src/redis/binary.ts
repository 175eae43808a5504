import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from '../lock.ts'
import { type FetchOptions, fetchRedis } from './fetch.ts'
import { DPKG_FOLDER, packageManagerAtWork, untilPackagesRest } from './package-lock.ts'

const MAJOR_MIN = 7 // streams and scripts behave as the services expect from 7.0 on

/** An upgrade of a whole distribution takes longer; a line says what is awaited. */
const PACKAGES_WAIT_MS_MAX = 300_000

export type RedisBinary = { path: string; env: Record<string, string> }

/**
 * A redis-server of at least version 7.0: from the PATH, else the one fetched into `toolchainDir` before,
 * else one fetched now; repeated once when another package manager (`apt`) was at work: apt cannot plan with
 * half-installed libraries. Rejects with a sentence that says what to install.
 */
export async function findRedis(toolchainDir: string, options: FetchOptions): Promise<RedisBinary> {
  const { folder, waitMsMax } = options.packages ?? { folder: DPKG_FOLDER, waitMsMax: PACKAGES_WAIT_MS_MAX }
  const before = hasRedis(toolchainDir) ? undefined : packageManagerAtWork(folder)
  const found = await lookFor(toolchainDir, options)
  if ('path' in found) return found
  if (before === undefined && packageManagerAtWork(folder) === undefined) throw noRedis(found.problem)
  const other = await untilPackagesRest(folder, { ...options, waitMsMax })
  const again = await lookFor(toolchainDir, options)
  if ('path' in again) return again
  throw other === undefined
    ? noRedis(again.problem)
    : new Error(
        `No Redis: ${again.problem}. ${other} is still changing the packages of this machine: try again when it has ended.`,
      )
}

const folderIn = (toolchainDir: string): string =>
  join(toolchainDir, `redis-${process.platform}-${process.arch}`)

/** Whether one may exist without fetching. */
const hasRedis = (toolchainDir: string): boolean =>
  Bun.which('redis-server', { PATH: process.env.PATH ?? '' }) !== null || existsSync(folderIn(toolchainDir))

async function lookFor(
  toolchainDir: string,
  options: FetchOptions,
): Promise<RedisBinary | { problem: string }> {
  const path = Bun.which('redis-server', { PATH: process.env.PATH ?? '' })
  const unfit = path && whyUnfit({ path, env: {} })
  if (path && !unfit) return { path, env: {} }
  const found = await fetchedRedis(toolchainDir, options)
  if ('path' in found) return found
  const lacking = unfit ? `${path} ${unfit}` : 'there is no redis-server on the PATH'
  return { problem: `${lacking}, and ${found.problem}` }
}

const noRedis = (problem: string): Error =>
  new Error(`No Redis: ${problem}; ${installHint()}, or set REDIS_URL to one of your own.`)

/** The redis-server of the toolchain, fetched by the first process that needs it. */
export async function fetchedRedis(
  toolchainDir: string,
  options: FetchOptions,
): Promise<RedisBinary | { problem: string }> {
  const folder = folderIn(toolchainDir)
  const earlier = fetchedIn(folder)
  if (earlier) return earlier
  return await withLock(`${folder}.lock`, async () => {
    const meanwhile = fetchedIn(folder) // by the process that held the lock before
    if (meanwhile) return meanwhile
    const problem = await fetchRedis(folder, options)
    const fetched = binaryIn(folder)
    const unfit = whyUnfit(fetched)
    return unfit ? { problem: problem ?? `the one that was fetched ${unfit}` } : fetched
  })
}

const binaryIn = (folder: string): RedisBinary => ({
  path: join(folder, 'usr/bin/redis-server'),
  env: librariesOf(folder),
})

function fetchedIn(folder: string): RedisBinary | undefined {
  const binary = binaryIn(folder)
  return whyUnfit(binary) ? undefined : binary
}

/** The libraries of a program fetched into `folder`. */
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

/** Why a redis-server cannot be used, to follow its name; undefined when it can. */
function whyUnfit({ path, env }: RedisBinary): string | undefined {
  try {
    const { stdout, stderr } = Bun.spawnSync([path, '--version'], {
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const version = /v=(\d+)\.[\d.]*/.exec(stdout.toString())
    if (Number(version?.[1]) >= MAJOR_MIN) return undefined
    if (version) return `is older than ${MAJOR_MIN}.0`
    return `does not run here (${stderr.toString().trim().split('\n')[0] || 'it says no version'})`
  } catch (error) {
    return `does not run here (${error instanceof Error ? error.message : error})`
  }
}

function installHint(): string {
  if (process.platform === 'darwin') return 'run `brew install redis`'
  return 'install it (`apt-get install redis-server`, `dnf install redis`, `apk add redis`)'
}
