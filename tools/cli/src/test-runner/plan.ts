import { dirname, join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

/**
 * A file with one of these words in its name mostly waits, for a killed process or an absent store. So does every file of
 * e2e. In a process of its own it waits while other files compute. These go one by one, so that together they must take
 * less than all others three at a time: e2e/demo waits too, and goes with those.
 */
const WAITS = [
  'crash',
  'faults',
  'outages',
  'away',
  'plans',
  'restart',
  'chaos',
  'overload',
  'slow',
  'trouble',
]
const E2E = 'e2e'

/** The test files of a package, from its folder: those that run in a process each, and those that share one. */
export type Plan = { alone: readonly string[]; concurrent: readonly string[]; e2e: readonly string[] }

/** The folder of every package: `apps/gateway`, …, `e2e`. */
export const packageFolders = (): string[] =>
  ['{apps,packages,tools}/*/package.json', 'e2e/package.json']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: PROJECT_ROOT })])
    .map((file) => dirname(file))
    .sort()

/** Each test file of a package is in exactly one of the three lists. */
export function planOf(folder: string, root = PROJECT_ROOT): Plan {
  const files = [...new Bun.Glob('**/*.test.{ts,tsx}').scanSync({ cwd: join(root, folder) })]
    .filter((file) => !file.split('/').includes('node_modules'))
    .sort()
  const others = files.filter((file) => !waits(file))
  const [concurrent, e2e] = folder === E2E ? [[], others] : [others, []]
  return { alone: files.filter(waits), concurrent, e2e }
}

function waits(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1)
  return name.split(/[.-]/).some((word) => WAITS.includes(word))
}
