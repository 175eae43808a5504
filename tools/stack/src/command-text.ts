import { relative } from 'node:path'
import { PROJECT_ROOT } from './project.ts'
import type { Home } from './run-state/home.ts'

/** A command as a user would type it for this home: with `--home` where it is not the default one. */
export const commandFor = ({ folder }: Home, words: string): string =>
  `./palanquin ${words}${folder === `${PROJECT_ROOT}/.palanquin` ? '' : ` --home ${typedPath(folder)}`}`

/** A path as a user in this folder would type it. */
export function typedPath(absolute: string): string {
  const near = relative(process.cwd(), absolute)
  const short = near === '' || near.startsWith('..') ? absolute : near
  if (!/^[\w./@:-]+$/.test(short)) return `'${short.replaceAll("'", "'\\''")}'`
  return short.includes('/') ? short : `./${short}`
}

/** Printed by commands that need a running stack. */
export const notRunningMessage = (home: Home): string =>
  `Nothing runs in ${home.folder}: ${commandFor(home, 'up')} starts it.`
