import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { entryOf } from '@palanquin/stack/units/entries'
import { bundleInto, bundleOf } from '@palanquin/stack/units/service-bundle'

/** Services that tests of their own package start and kill many times; stacks run the same bundles. */
const SERVICES = ['gateway', 'tracking', 'map'] as const
/** Processes of tests alone. */
const TEST_PROCESSES = ['packages/events/test/crash-process.ts']

/**
 * Bundles what tests start as processes of their own.
 * @param folder for the bundles that no stack runs
 * @returns the value of TEST_PROGRAMS (packages/testing/src/program.ts)
 */
export async function makeTestPrograms(folder: string): Promise<string> {
  const programs: Record<string, string> = {}
  for (const service of SERVICES) {
    const entry = entryOf(service)
    programs[entry] = (await bundleOf(service, entry)).file
  }
  for (const path of TEST_PROCESSES) {
    const entry = join(PROJECT_ROOT, path)
    programs[entry] = await bundleInto(entry, join(folder, path.replaceAll(/\W+/g, '-')))
  }
  return JSON.stringify(programs)
}
