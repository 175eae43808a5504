import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where distributions put libfaketime; below the first there is a folder for each architecture. */
const LIBRARY_FOLDERS = ['/usr/lib', '/usr/lib64', '/usr/local/lib']
/** For programs with threads. */
const LIBRARY = join('faketime', 'libfaketimeMT.so.1')

const library = findLibrary()

/** Why no process can be lied to about the time here, as half a sentence; null where one can. */
export const whyNoWrongClock: string | null = library
  ? null
  : 'a wrong clock for one process needs libfaketime: apt-get install libfaketime'

/** The title of a test that needs one; where there is none, `test.skipIf(whyNoWrongClock !== null)` skips it, and the title says why. */
export const withWrongClock = (title: string): string =>
  whyNoWrongClock === null ? title : `${title} (skipped: ${whyNoWrongClock})`

/** The variables by which a process sees a clock that is so many hours ahead. */
export const clockAhead = (hours: number): { LD_PRELOAD: string; FAKETIME: string } => ({
  LD_PRELOAD: library ?? '',
  FAKETIME: `${hours < 0 ? '' : '+'}${hours}h`,
})

function findLibrary(): string | undefined {
  const folders = LIBRARY_FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) => [
    folder,
    ...readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.includes('linux'))
      .map(({ name }) => join(folder, name)),
  ])
  return folders.map((folder) => join(folder, LIBRARY)).find((path) => existsSync(path))
}
