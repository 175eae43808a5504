import { LauncherError } from '../launcher-error.ts'

/** `chaos`: the fault run is not built yet; it says so rather than pretend. */
export async function run(_args: string[]): Promise<number> {
  throw new LauncherError('chaos is not built yet: ./palanquin test holds the faults that are.', 2)
}
