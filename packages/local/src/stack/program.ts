import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'

/** Those that read no file beside their own sources; the gateway serves a page, media draws with fonts and threads. */
const BUNDLED = ['tracking', 'engagement', 'line-bot']
/** Bundles of sources as they were: kept for a while, since another launcher may be about to start one. */
const KEPT_MS = 3_600_000

/**
 * The file that runs a service: its sources in one file where it can be, else its entry. Reading hundreds of modules
 * costs each process 0.4 s of processor time at every start, and reading the one file 0.15 (measured). Changed sources are
 * bundled again; errors still name the lines of the sources.
 * @throws LauncherError when the entry is missing or the sources do not fit together
 */
export async function programOf(service: string, entry: string): Promise<string> {
  if (!existsSync(entry))
    throw new LauncherError(`${entry} is missing: this copy of the project is not whole.`)
  if (!BUNDLED.includes(service)) return entry
  const folder = join(PROJECT_ROOT, '.palanquin', 'programs')
  const bundle = join(folder, `${service}-${keyOf(join(PROJECT_ROOT, 'apps', service))}`)
  const program = join(bundle, 'main.js')
  if (existsSync(program)) return program
  const made = emptyIn(folder)
  if (!made) return entry
  try {
    await build(entry, made)
    renameSync(made, bundle)
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    // Two launchers at once make the same: the second finds it there.
    if (!existsSync(program)) throw error
  }
  sweep(folder)
  return program
}

/** A new folder that anybody may read; undefined where the project is not ours to write, or on a read-only disk. */
function emptyIn(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true })
    const made = mkdtempSync(join(folder, 'new-'))
    chmodSync(made, 0o755)
    return made
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return undefined
    throw error
  }
}

async function build(entry: string, outdir: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [entry],
    outdir,
    target: 'bun',
    sourcemap: 'linked',
    throw: false,
  })
  if (!success) throw new LauncherError(`${entry} does not hold together: ${logs.map(String).join('; ')}`)
}

/** Changes with every source of the service and the packages, with what is installed, and with Bun. */
function keyOf(app: string): string {
  const packages = join(PROJECT_ROOT, 'packages')
  const roots = [app, ...readdirSync(packages).map((name) => join(packages, name))]
  const hash = new Bun.CryptoHasher('sha256')
  hash.update(Bun.version).update(readFileSync(join(PROJECT_ROOT, 'bun.lock')))
  for (const root of roots)
    for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).sort()) {
      const { mtimeMs, size } = statSync(join(root, 'src', name))
      hash.update(`${root} ${name} ${mtimeMs} ${size}\n`)
    }
  return hash.digest('hex').slice(0, 16)
}

function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}
