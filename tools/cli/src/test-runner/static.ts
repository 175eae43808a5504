import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { runCommand } from './command.ts'
import type { Check } from './outcome.ts'

/** A tool of node_modules, run by Bun, so that no Node is needed. Each counts as one test. */
const tool = (name: string, program: string, ...args: string[]): Check => ({
  name,
  run: async (signal) => {
    const file = join(PROJECT_ROOT, 'node_modules', '.bin', program)
    const { exitCode, output } = await runCommand([process.execPath, '--bun', file, ...args], { signal })
    return exitCode === 0
      ? { passed: 1, failed: 0, skipped: 0, output }
      : { passed: 0, failed: 1, skipped: 0, output }
  },
})

export const STATIC_CHECKS: readonly Check[] = [
  tool('types', 'tsc', '--noEmit'),
  tool('types of the pages', 'tsc', '--noEmit', '-p', 'apps/web'),
  tool('lint', 'biome', 'check', '.'),
  tool('boundaries', 'turbo', 'boundaries'),
  tool('unused', 'knip'),
]
