import { fileURLToPath } from 'node:url'

/** The project's own folder: where package.json, bun.lock and .env are. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

/** The checked-out commit, with `-dirty` for a modified tree; undefined where git cannot say. */
export function commitOf(projectRoot: string): string | undefined {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
    const { exitCode, stdout } = Bun.spawnSync(['git', '-C', projectRoot, ...args], { stderr: 'ignore' })
    return exitCode === 0 ? stdout.toString().trim() : undefined
  } catch {
    return undefined // no git: the project came as an archive
  }
}

/** The launcher's entry, as it appears on its command line. */
export const MAIN_FILE = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))
