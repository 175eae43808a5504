import { MAIN_FILE, PROJECT_ROOT } from '../project.ts'
import { noSettings } from '../settings/settings.ts'

type LauncherResult = { code: number; out: string }

/** Runs a command as a user would, with default settings; returns its output and exit code. */
export const runLauncher = (...args: string[]): Promise<LauncherResult> => runLauncherWith({}, ...args)

/** The same with the given settings. */
export async function runLauncherWith(
  settings: Record<string, string>,
  ...args: string[]
): Promise<LauncherResult> {
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN_FILE, ...args], {
    env: { ...process.env, ...noSettings(PROJECT_ROOT), NO_COLOR: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out: out + problems }
}
