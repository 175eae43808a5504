import { MAIN_FILE, PROJECT_ROOT } from './project.ts'
import { noSettings } from './settings.ts'

/** Calls a command as a person would, with all settings but the given at their defaults; what it said, and its exit code. */
export async function launcher(...args: string[]): Promise<{ code: number; out: string }> {
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN_FILE, ...args], {
    env: { ...process.env, ...noSettings(PROJECT_ROOT), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out: out + problems }
}
