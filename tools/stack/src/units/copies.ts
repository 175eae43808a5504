import { existsSync, readdirSync } from 'node:fs'
import { LauncherError } from '../launcher-error.ts'
import type { Home } from '../run-state/home.ts'
import type { Settings } from '../settings/settings.ts'
import { GATEWAY, SERVICES, type Service } from './services.ts'

/** One digit keeps the names of sockets short. */
export const COPIES_MAX = 9

/**
 * How many copies of each service run behind the gateway (COPIES, default 1). @throws LauncherError when it
 * is not such a number
 */
export function copiesWanted({ COPIES = '1' }: Settings): number {
  if (/^[1-9]$/.test(COPIES)) return Number(COPIES)
  throw new LauncherError(`COPIES=${COPIES}: expected a number of copies from 1 to ${COPIES_MAX}.`)
}

/** The name of a copy, counted from 1: `tracking`, `tracking-2`. */
export const nameOfCopy = (service: Service, copy: number): string =>
  copy === 1 ? service : `${service}-${copy}`

/** The journal folder of a copy of tracking; each has its own. */
export const journalOf = (home: Home, copy: number): string =>
  copy === 1 ? home.journal : `${home.journal}-${copy}`

/**
 * How many copies of a service are to run. A copy of tracking with a non-empty journal always runs: its
 * points are acknowledged, and only that copy replays them.
 */
export function copiesOf(home: Home, settings: Settings, service: Service): number {
  let copies = copiesWanted(settings)
  if (service !== 'tracking') return copies
  for (let copy = copies + 1; copy <= COPIES_MAX; copy++) {
    const folder = journalOf(home, copy)
    if (existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.log'))) copies = copy
  }
  return copies
}

/** The gateway, every first copy, and every further copy with a pid file. */
export function processNames(home: Home): string[] {
  const noted = existsSync(home.runFolder) ? readdirSync(home.runFolder) : []
  const more = noted.flatMap((file) => {
    const name = file.replace(/\.pid$/, '')
    return name !== file && SERVICES.some((service) => isFurtherCopy(service, name)) ? [name] : []
  })
  return [GATEWAY, ...[...SERVICES, ...more].sort((a, b) => orderOf(a) - orderOf(b) || a.localeCompare(b))]
}

const isFurtherCopy = (service: Service, name: string): boolean =>
  name.startsWith(`${service}-`) && /^[2-9]$/.test(name.slice(service.length + 1))

/** The service of which a process is a copy. */
export const serviceOf = (name: string): string => name.replace(/-[2-9]$/, '')

const orderOf = (name: string): number => SERVICES.map(String).indexOf(serviceOf(name))
