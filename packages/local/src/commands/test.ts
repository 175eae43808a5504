import { LauncherError } from '../launcher-error.ts'

/** Not there yet. */
export async function run(_args: string[]): Promise<number> {
  throw new LauncherError('This command is not built yet.', 2)
}
