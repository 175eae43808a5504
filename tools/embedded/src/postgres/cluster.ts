import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, renameDurably } from '@palanquin/files/durable'
import { isCode, readIfThere } from '../file.ts'
import { identify } from '../process.ts'
import { type Account, chooseOwner, findWay } from './account.ts'
import type { PostgresBinaries } from './binaries.ts'

export const DATABASE = 'palanquin'
export const SUPERUSER = 'palanquin'
const DRAFT = 'initdb-'

/** Creates the folder of the clusters, owned by PostgreSQL's account. */
export function openFolder(dataDir: string, { postgres }: PostgresBinaries): Account {
  makeFolder(dataDir, 0o700)
  const owner = chooseOwner(dataDir)
  if (owner && statSync(dataDir).uid !== owner.uid) {
    // -R: a cluster that root copied here has root's files
    const { success, stderr } = Bun.spawnSync(['chown', '-R', `${owner.uid}:${owner.gid}`, dataDir])
    if (!success) throw new Error(`Cannot give ${dataDir} to user ${owner.uid}: ${stderr.toString().trim()}`)
  }
  return findWay({ owner, program: postgres, folder: dataDir })
}

const SWEEP_TRIES_MAX = 20
const SWEEP_PAUSE_MS = 50

/** Removes a draft. The initdb of a killed launcher may still be removing it itself. */
async function sweep(draft: string): Promise<void> {
  for (let tries = 1; existsSync(draft); tries++) {
    try {
      rmSync(draft, { recursive: true, force: true })
    } catch (error) {
      if (tries >= SWEEP_TRIES_MAX) throw error
      await Bun.sleep(SWEEP_PAUSE_MS)
    }
  }
}

/** The cluster below `dataDir`, created by initdb if needed. */
export async function ensureCluster(
  dataDir: string,
  options: {
    account: Account
    binaries: PostgresBinaries
    password: string
    fsync: boolean
    onProgress(detail: string): void
  },
): Promise<string> {
  for (const name of readdirSync(dataDir)) if (name.startsWith(DRAFT)) await sweep(join(dataDir, name))
  const found = clusterIn(dataDir, options.binaries)
  if (found) return found
  const cluster = join(dataDir, options.binaries.major)
  options.onProgress('creating the database')
  const draft = join(dataDir, `${DRAFT}${randomBytes(6).toString('hex')}`)
  const passwordFile = `${draft}.password`
  writeFileSync(passwordFile, options.password, { mode: 0o600 })
  if (options.account.owner) chownSync(passwordFile, options.account.owner.uid, options.account.owner.gid)
  await initialise(draft, passwordFile, options)
  rmSync(passwordFile)
  renameDurably(draft, cluster)
  return cluster
}

/** The cluster of this version below `dataDir`, if it is complete. */
export function clusterIn(dataDir: string, { major }: PostgresBinaries): string | undefined {
  const cluster = join(dataDir, major)
  return existsSync(join(cluster, 'PG_VERSION')) ? cluster : undefined
}

/** Sets another superuser password on a stopped cluster; letters and digits only. */
export async function setPassword(
  password: string,
  {
    dataDir,
    account,
    binaries,
    fsync,
  }: { dataDir: string; account: Account; binaries: PostgresBinaries; fsync: boolean },
): Promise<void> {
  const cluster = join(dataDir, binaries.major)
  clearStaleLock(cluster)
  const single = [binaries.postgres, '--single', '-D', cluster, ...(fsync ? [] : ['-F']), DATABASE]
  await run(account.launch(single), `ALTER ROLE ${SUPERUSER} PASSWORD '${password}'\n`)
}

/** Removes a `postmaster.pid` whose pid is another process by now, or a zombie. */
export function clearStaleLock(cluster: string): void {
  const file = join(cluster, 'postmaster.pid')
  const pid = Number(readIfThere(file)?.split('\n')[0])
  if (!(pid > 0)) return
  if (identify(pid)?.command.includes(`postgres -D ${cluster} `))
    throw new Error(`PostgreSQL ${pid} runs on ${cluster} already.`)
  if (exists(pid)) rmSync(file, { force: true })
}

/** Whether a process has this pid, be it a zombie. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !isCode(error, 'ESRCH')
  }
}

/** Whether this postmaster accepts connections, by line 8 of its `postmaster.pid`. */
export function saysReady(cluster: string, pid: number): boolean {
  const lines = readIfThere(join(cluster, 'postmaster.pid'))?.split('\n')
  return Number(lines?.[0]) === pid && lines?.[7]?.trim() === 'ready'
}

async function initialise(
  draft: string,
  passwordFile: string,
  { account, binaries, fsync }: { account: Account; binaries: PostgresBinaries; fsync: boolean },
): Promise<void> {
  const sync = fsync ? [] : ['--no-sync']
  // 17 and later have a locale of their own, which no upgrade of the system changes.
  const builtin = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const text = ['--encoding=UTF8', '--locale=C', ...(Number(binaries.major) >= 17 ? builtin : [])]
  const login = [`--username=${SUPERUSER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  await run(account.launch([binaries.initdb, '-D', draft, ...text, ...login, ...sync]), '')
  const single = [binaries.postgres, '--single', '-D', draft, ...(fsync ? [] : ['-F']), 'postgres']
  await run(account.launch(single), `CREATE DATABASE ${DATABASE}\n`)
  if (readFileSync(join(draft, 'PG_VERSION'), 'utf8').trim() !== binaries.major)
    throw new Error(`${binaries.initdb} is not PostgreSQL ${binaries.major}.`)
}

async function run({ command, ...as }: ReturnType<Account['launch']>, input: string): Promise<void> {
  const child = Bun.spawn(command, {
    ...as,
    // Ctrl-C is handled by the launcher, which stops everything in order once this is done.
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: [Buffer.from(input), 'pipe', 'pipe'],
  })
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const failed = child.exitCode !== 0 || /^(.*\b)?(ERROR|FATAL|PANIC):/m.test(problems)
  if (failed)
    throw new Error(
      `PostgreSQL cannot create its folder: ${(problems.trim() || out.trim()).split('\n').slice(-3).join(' ')}`,
    )
}
