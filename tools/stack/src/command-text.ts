import { relative } from 'node:path'
import { PROJECT_ROOT } from './project.ts'
import type { Home } from './run-state/home.ts'

/** A command as a person would type it for this home: `./palanquin up`, and `--home` where it is not the usual one. */
export const commandFor = ({ folder }: Home, words: string): string =>
  `./palanquin ${words}${folder === `${PROJECT_ROOT}/.palanquin` ? '' : ` --home ${typedPath(folder)}`}`

/** A path as a person in this folder would type it. */
export function typedPath(absolute: string): string {
  const near = relative(process.cwd(), absolute)
  const short = near === '' || near.startsWith('..') ? absolute : near
  if (!/^[\w./@:-]+$/.test(short)) return `'${short.replaceAll("'", "'\\''")}'`
  return short.includes('/') ? short : `./${short}`
}

/** What is said where a command wants a stack that runs. */
export const notRunningMessage = (home: Home): string =>
  `Nothing runs in ${home.folder}: ${commandFor(home, 'up')} starts it.`
