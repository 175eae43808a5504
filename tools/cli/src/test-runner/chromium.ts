import { existsSync } from 'node:fs'
import { runCommand } from './command.ts'

/** Where Debian puts it; e2e/web looks there too. */
const DEBIAN_FILE = '/usr/bin/chromium'
/** With the fonts of the pages' Chinese: the screenshots that are compared were made with them. */
const PACKAGES = ['chromium', 'fonts-noto-cjk', 'fonts-dejavu-core', 'fontconfig']
const DEADLINE_MS = 300_000

type Options = {
  signal: AbortSignal
  log: (line: string) => void
  environment?: Partial<Record<string, string>>
  file?: string
  isRoot?: boolean
}

/**
 * Installs Debian's Chromium for the tests in a browser, where that can be done: as root, with apt-get, and unless
 * CHROMIUM names another one. Else it says in one line why they will be skipped; the other tests run all the same.
 */
export async function ensureChromium({
  signal,
  log,
  environment = process.env,
  file = DEBIAN_FILE,
  isRoot = process.getuid?.() === 0,
}: Options): Promise<void> {
  if (environment.CHROMIUM || existsSync(file)) return
  const skip = (why: string) =>
    log(`The tests in a browser are skipped: there is no Chromium at ${file}, and ${why}.`)
  const { PATH = '' } = environment
  if (!isRoot) return skip('only root can install it (apt-get install chromium, or name another in CHROMIUM)')
  if (!Bun.which('apt-get', { PATH }))
    return skip('this is no Debian or Ubuntu that could install it (name another in CHROMIUM)')
  log('Installing Chromium with apt-get, for the tests in a browser …')
  const apt = (...args: string[]) =>
    runCommand(['apt-get', ...args], {
      env: { ...environment, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
      deadlineMs: DEADLINE_MS,
      signal,
    })
  await apt('update')
  const { output } = await apt('install', '--yes', '--no-install-recommends', ...PACKAGES)
  if (existsSync(file)) return
  const reason = /^E: (.*)$/m.exec(output)?.[1] ?? output.trim().split('\n').at(-1)
  skip(`apt-get could not install it (${reason})`)
}
