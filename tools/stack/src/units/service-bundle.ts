import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { withLock } from '@palanquin/embedded/lock'
import { renameDurably, syncTree } from '@palanquin/files/durable'
import { isCode } from '@palanquin/files/read'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'
import { keepVariables, keptVariables, readVariables } from '../settings/service-variables.ts'
import { keepSourcePaths } from './bundle-plugins.ts'

/** A change of how bundles are made makes them anew. */
const BUILD_FILES = ['service-bundle.ts', 'bundle-plugins.ts']

/** Bundles that nobody has used for so long are removed; another launcher may be about to start one of older sources. */
const KEPT_MS = 3_600_000

export type ServiceBundle = {
  /** What Bun runs. */
  file: string
  /** The environment variables that it reads; `<BRAND>_ADMIN_TOKEN` where the brand is part of the name. */
  variables: readonly string[]
}

/**
 * A service as one bundle of its sources, with precompiled bytecode. Loading hundreds of modules costs each
 * process 0.55 to 0.95 s of processor time at every start, and loading the bundle 0.08 to 0.2 (measured).
 * Changed sources are bundled again; stack traces still name the lines of the sources.
 * @throws LauncherError when the entry is missing or the build fails
 */
export async function bundleOf(service: string, entry: string): Promise<ServiceBundle> {
  if (!existsSync(entry))
    throw new LauncherError(`${entry} is missing: this copy of the project is incomplete.`)
  const folder = join(PROJECT_ROOT, '.palanquin', 'programs')
  const bundle = join(folder, `${service}-${keyOf(appOf(entry))}`)
  const program = join(bundle, nameOf(entry))
  const made = (): ServiceBundle => ({ file: program, variables: keptVariables(bundle) })
  const writable = isWritable(folder)
  if (existsSync(program)) {
    if (writable) touch(bundle)
    return made()
  }
  if (!writable) return { file: entry, variables: await readVariables(entry) }
  // Launchers that start at once build it once.
  await withLock(join(folder, `${service}.lock`), async () => {
    if (existsSync(program)) return
    const draft = makeDraftFolder(folder)
    try {
      await bundleInto(entry, draft)
      keepVariables(draft, await readVariables(entry))
      syncTree(draft)
      renameDurably(draft, bundle)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
    removeOldBundles(folder)
  })
  return made()
}

/** Whether the folder is writable: not in a project of another user, or on a read-only disk. */
function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false
    throw error
  }
}

/** What is in use is not old. */
function touch(bundle: string): void {
  const now = new Date()
  try {
    utimesSync(bundle, now, now)
  } catch (error) {
    if (!isCode(error, 'EPERM')) throw error // it is another user's
  }
}

/** A new folder that every user may read. */
function makeDraftFolder(folder: string): string {
  const made = mkdtempSync(join(folder, 'new-'))
  chmodSync(made, 0o755)
  return made
}

/** What Bun calls the bundle of an entry. */
const nameOf = (entry: string): string => `${basename(entry, '.ts')}.js`

/**
 * Bundles an entry with precompiled bytecode, and resolves with the file that Bun runs.
 * @throws LauncherError when the build fails
 */
export async function bundleInto(entry: string, outdir: string): Promise<string> {
  const { success, logs } = await Bun.build({
    entrypoints: [entry],
    outdir,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    sourcemap: 'linked',
    plugins: [keepSourcePaths],
    throw: false,
  })
  if (!success) throw new LauncherError(`${entry} cannot be built: ${logs.map(String).join('; ')}`)
  return join(outdir, nameOf(entry))
}

/** The folder of the app that an entry belongs to, however deep the entry is. */
const appOf = (entry: string): string =>
  join(PROJECT_ROOT, ...relative(PROJECT_ROOT, entry).split(sep).slice(0, 2))

/** The folders of the shared packages. git leaves others, with ignored files such as node_modules, where a package was. */
export const packagesOf = (root: string): string[] =>
  [...new Bun.Glob('packages/*/package.json').scanSync({ cwd: root })]
    .sort()
    .map((manifest) => join(root, dirname(manifest)))

/** Changes with every source of the service and the packages, with the lockfile, with Bun, and with how it is made. */
function keyOf(app: string): string {
  const roots = [app, ...packagesOf(PROJECT_ROOT)]
  const hash = new Bun.CryptoHasher('sha256')
  hash.update(Bun.version).update(readFileSync(join(PROJECT_ROOT, 'bun.lock')))
  hash.update(readFileSync(join(PROJECT_ROOT, 'packages/db/migrations/meta/_journal.json')))
  for (const file of BUILD_FILES) hash.update(readFileSync(join(import.meta.dir, file)))
  for (const root of roots)
    for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).sort()) {
      const { mtimeMs, size } = statSync(join(root, 'src', name))
      hash.update(`${root} ${name} ${mtimeMs} ${size}\n`)
    }
  return hash.digest('hex').slice(0, 16)
}

function removeOldBundles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}
