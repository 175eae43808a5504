import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

/** Breaches of the import rules, each in a file of its own in a copy of the project's configuration. */
const BREACHES: Record<string, string> = {
  'apps/gateway/src/database.ts': `import type { Database } from '@palanquin/db/client'; export type { Database }`,
  'apps/gateway/src/bus.ts': `export { consume } from '@palanquin/events/consume'`,
  'apps/media/src/harness.ts': `import { until } from '@palanquin/testing/until'; export { until }`,
  'apps/media/src/harness-later.ts': `export const later = () => import('@palanquin/testing/until')`,
  'apps/media/src/simulator.ts': `export { simulator } from '@palanquin/line-simulator/start'`,
  'packages/service/src/harness.ts': `export { testClock } from '@palanquin/testing/clock'`,
  'packages/domain/src/files.ts': `import { readFileSync } from 'node:fs'; export { readFileSync }`,
  'packages/domain/src/library.ts': `import fc from 'fast-check'; export { fc }`,
  'packages/domain/src/now.ts': 'export const nowMs = () => Date.now()',
  'packages/domain/src/today.ts': 'export const today = () => new Date()',
  'packages/domain/src/chance.ts': 'export const chance = () => Math.random()',
  'packages/domain/src/timer.ts': 'export const elapsedMs = () => performance.now()',
  'packages/domain/src/environment.ts': 'export const zone = process.env.TZ',
  'packages/domain/src/runtime.ts': `export const file = Bun.file('a')`,
  'packages/domain/src/network.ts': `export const page = () => fetch('http://example.com')`,
  'apps/media/src/undeclared.ts': `import pad from 'left-pad'; export { pad }`,
  'apps/media/src/for-tests.ts': `import fc from 'fast-check'; export { fc }`,
}

const ALLOWED: Record<string, string> = {
  'apps/gateway/src/known.ts': `export { chunk } from '@palanquin/service/chunk'`,
  'apps/media/src/a.test.ts': `import { until } from '@palanquin/testing/until'; import fc from 'fast-check'; export { fc, until }`,
  'apps/media/test/stand.ts': `export { until } from '@palanquin/testing/until'`,
  'packages/domain/src/pure.ts': `import Type from 'typebox'; import { way } from '../way.ts'; import { near } from './near.ts'; export { near, Type, way }`,
  'packages/domain/src/time.ts': 'export const dayOf = (ms: number) => new Date(ms).toISOString()',
  'packages/domain/src/a.test.ts': `import fc from 'fast-check'; export { fc }; export const nowMs = Date.now()`,
}

type Report = { diagnostics: { category: string; severity: string; location: { path: string } | null }[] }

const RULES = new Set([
  'lint/style/noRestrictedImports',
  'lint/correctness/noUndeclaredDependencies',
  'plugin',
])

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-rules-'))
  for (const file of ['biome.json', 'tools/lint/domain-purity.grit', 'tools/lint/spread-of-literal.grit'])
    cpSync(join(PROJECT_ROOT, file), join(folder, file))
  for (const owner of ['apps/gateway', 'apps/media', 'packages/service', 'packages/domain'])
    cpSync(join(PROJECT_ROOT, owner, 'package.json'), join(folder, owner, 'package.json'))
  for (const [file, text] of Object.entries({ ...BREACHES, ...ALLOWED })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('Biome reports every breach of the import rules, and nothing that is allowed', () => {
  const biome = join(PROJECT_ROOT, 'node_modules/.bin/biome')
  const { stdout } = Bun.spawnSync(
    [process.execPath, '--bun', biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'],
    { cwd: folder },
  )
  const { diagnostics }: Report = JSON.parse(stdout.toString())
  const reported = diagnostics.flatMap(({ category, severity, location }) =>
    RULES.has(category) && severity === 'error' && location ? [location.path] : [],
  )
  expect([...new Set(reported)].sort()).toEqual(Object.keys(BREACHES).sort())
})
