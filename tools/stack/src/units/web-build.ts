import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from '@palanquin/embedded/lock'
import { renameDurably, syncTree } from '@palanquin/files/durable'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'

const WEB = join(PROJECT_ROOT, 'apps', 'web')
/** What the pages are made of; the lockfile stands for their libraries. */
const SOURCES = [join(WEB, 'src'), join(PROJECT_ROOT, 'packages', 'domain', 'src')]
const BUILD_FILES = ['build.ts', 'outlines.ts', 'package.json']
/** Builds of sources as they were: a gateway that runs holds its own in memory. */
const KEPT_MS = 3_600_000

/**
 * The folder of the built pages; they are built when their sources changed.
 * @throws LauncherError when they cannot be built
 */
export async function webBuild(): Promise<string> {
  const folder = join(PROJECT_ROOT, '.palanquin', 'web')
  const build = join(folder, keyOf())
  const isBuilt = () => existsSync(join(build, 'manifest.json'))
  if (isBuilt()) return build
  mkdirSync(folder, { recursive: true })
  // Launchers that start at once build them once.
  await withLock(join(folder, 'build.lock'), async () => {
    if (isBuilt()) return
    const draft = mkdtempSync(join(folder, 'new-'))
    try {
      await run(draft)
      syncTree(draft)
      renameDurably(draft, build)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
    removeOldBuilds(folder)
  })
  return build
}

async function run(draft: string): Promise<void> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(WEB, 'build.ts'), draft], {
    cwd: WEB,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [problems, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new LauncherError(`The pages cannot be built: ${problems.trim()}`)
}

function keyOf(): string {
  const hash = new Bun.CryptoHasher('sha256')
  hash.update(Bun.version).update(readFileSync(join(PROJECT_ROOT, 'bun.lock')))
  for (const file of BUILD_FILES) hash.update(readFileSync(join(WEB, file)))
  for (const folder of SOURCES)
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const { mtimeMs, size } = statSync(join(folder, name))
      hash.update(`${folder} ${name} ${mtimeMs} ${size}\n`)
    }
  return hash.digest('hex').slice(0, 16)
}

function removeOldBuilds(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}
