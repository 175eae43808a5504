import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renameDurably, syncTree } from '@palanquin/files/durable'

const STEP_TIMEOUT_MS = 120_000

type Ran = { ok: boolean; out: string; problems: string }
export type FetchOptions = {
  onProgress(detail: string): void
  signal?: AbortSignal | undefined
  /** dpkg's folder, and how long another package manager is awaited; set by tests. */
  packages?: { folder: string; waitMsMax: number }
}

/** Packages of the distribution: `packages` are always fetched, `root` with its missing dependencies. */
export type DebianProgram = { name: string; root: string; packages: readonly string[] }

const REDIS: DebianProgram = {
  name: 'Redis',
  root: 'redis-server',
  packages: ['redis-server', 'redis-tools'],
}

/** Fetches Debian's or Ubuntu's redis-server; see `fetchProgram`. */
export const fetchRedis = (folder: string, options: FetchOptions): Promise<string | undefined> =>
  fetchProgram(REDIS, folder, options)

/**
 * Fetches a program of Debian or Ubuntu with the libraries missing on this machine into `folder`, without
 * root and without touching the system: apt uses its own lists and cache. The folder appears complete or not
 * at all. Returns the reason of a failure, or undefined. The caller holds a lock on `folder`.
 */
export async function fetchProgram(
  program: DebianProgram,
  folder: string,
  { onProgress, signal }: FetchOptions,
): Promise<string | undefined> {
  const PATH = process.env.PATH ?? ''
  if (!Bun.which('apt-get', { PATH }) || !Bun.which('dpkg', { PATH }))
    return 'this is no Debian or Ubuntu from which it could be fetched'
  const draft = `${folder}.fetching` // the caller holds the lock
  rmSync(draft, { recursive: true, force: true })
  const problem = await fill(program, draft, onProgress, (command, cwd) => run(command, cwd, signal))
  if (!problem) {
    rmSync(folder, { recursive: true, force: true })
    syncTree(join(draft, 'tree'))
    renameDurably(join(draft, 'tree'), folder)
  }
  rmSync(draft, { recursive: true, force: true })
  return problem
}

async function fill(
  { name, root, packages }: DebianProgram,
  draft: string,
  onProgress: FetchOptions['onProgress'],
  run: (command: string[], cwd: string) => Promise<Ran>,
): Promise<string | undefined> {
  for (const part of ['lists/partial', 'archives/partial', 'debs', 'tree'])
    mkdirSync(join(draft, part), { recursive: true })
  const apt = ['apt-get', '-c', writeConfig(draft)]
  onProgress(`asking the distribution for ${name}`)
  const lists = await run([...apt, 'update'], draft)
  onProgress(`fetching ${name}`)
  // what is not installed; -s only simulates, which anyone may.
  const plan = await run([...apt, '-s', 'install', '--no-install-recommends', root], draft)
  const missing = [...plan.out.matchAll(/^Inst (\S+) \(/gm)].flatMap(([, name]) => name ?? [])
  const wanted = new Set([...packages, ...missing])
  const got = await run([...apt, 'download', ...wanted], join(draft, 'debs'))
  if (!got.ok)
    return `it cannot be fetched (${reason(got.problems) ?? reason(lists.problems) ?? 'apt-get does not say why'})`
  for (const file of readdirSync(join(draft, 'debs'))) {
    const unpacked = await run(['dpkg', '-x', join(draft, 'debs', file), join(draft, 'tree')], draft)
    if (!unpacked.ok) return `it cannot be unpacked (${reason(unpacked.problems) ?? file})`
  }
  return undefined
}

/**
 * apt's configuration: the system's sources and keys, everything that it writes below `draft`, no hooks of
 * the system.
 */
function writeConfig(draft: string): string {
  const file = join(draft, 'apt.conf')
  const hooks = [
    'APT::Update::Pre-Invoke',
    'APT::Update::Post-Invoke',
    'APT::Update::Post-Invoke-Success',
    'DPkg::Post-Invoke',
  ]
  const settings = {
    'Dir::State': draft,
    'Dir::State::lists': join(draft, 'lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': draft,
    'Dir::Cache::archives': join(draft, 'archives'),
    'Dir::Log': draft,
    'Debug::NoLocking': 'true',
    'Acquire::Languages': 'none',
    // as root, apt would fetch as its user _apt, who cannot enter a private folder
    'APT::Sandbox::User': 'root',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";`)
  writeFileSync(file, [...hooks.map((hook) => `#clear ${hook};`), ...lines, ''].join('\n'))
  return file
}

async function run(command: string[], cwd: string, signal: AbortSignal | undefined): Promise<Ran> {
  signal?.throwIfAborted()
  const child = Bun.spawn(command, {
    detached: true,
    cwd,
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: STEP_TIMEOUT_MS,
    ...(signal ? { signal } : {}),
  })
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  signal?.throwIfAborted()
  return { ok: child.exitCode === 0, out, problems }
}

function reason(problems: string): string | undefined {
  return problems
    .split('\n')
    .find((line) => line.startsWith('E: '))
    ?.slice('E: '.length)
}
