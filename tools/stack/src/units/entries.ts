import { join } from 'node:path'
import { PROJECT_ROOT } from '../project.ts'
import { serviceOf } from './copies.ts'

/** The LINE simulator, the one process that is not a service of ours. */
export const LINE_STUB = 'line-stub'

/** Entries other than the `main.ts` of the app of the same name. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = { map: ['tracking', 'src', 'map', 'main.ts'] }

/** The file that a service is started from, by its path. */
export const entryOf = (service: string): string =>
  service === LINE_STUB
    ? join(PROJECT_ROOT, 'tools', 'line-simulator', 'src', 'process.ts')
    : join(PROJECT_ROOT, 'apps', ...(ENTRIES[serviceOf(service)] ?? [serviceOf(service), 'src', 'main.ts']))
