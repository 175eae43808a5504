import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'
import { entryOf } from './entries.ts'
import { bundleOf, packagesOf } from './service-bundle.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

test('a service runs from one bundle, which is rebuilt when a source changes and otherwise kept', async () => {
  const { file: first, variables } = await bundleOf('line-bot', entryOf('line-bot'))
  expect(readFileSync(first, 'utf8')).toContain('domain/src/')
  expect(variables).toContain('LINE_CHANNEL_SECRET')
  expect(await bundleOf('line-bot', entryOf('line-bot'))).toEqual({ file: first, variables })
  const now = new Date()
  utimesSync(entryOf('line-bot'), now, now)
  expect((await bundleOf('line-bot', entryOf('line-bot'))).file).not.toBe(first)
})

test('an entry below the sources of its app is bundled like any other', async () => {
  const { file, variables } = await bundleOf('map', entryOf('map'))
  expect(readFileSync(file, 'utf8')).toContain('domain/src/')
  expect(variables).toContain('DATABASE_URL')
})

test('a folder that git leaves where a package was is no package', () => {
  const root = mkdtempSync(join(tmpdir(), 'packages-'))
  mkdirSync(join(root, 'packages/left/node_modules'), { recursive: true })
  mkdirSync(join(root, 'packages/kept'))
  writeFileSync(join(root, 'packages/kept/package.json'), '{}')
  expect(packagesOf(root)).toEqual([join(root, 'packages/kept')])
  rmSync(root, { recursive: true })
})

test('launchers that start at once share one bundle', async () => {
  const files = await Promise.all([1, 2, 3].map(() => bundleOf('tracking', entryOf('tracking'))))
  expect(new Set(files.map(({ file }) => file)).size).toBe(1)
})

test('a bundle finds the files beside its sources', async () => {
  const program = readFileSync((await bundleOf('media', entryOf('media'))).file, 'utf8')
  expect(program).not.toContain('import.meta')
  expect(program).toContain(join(PROJECT_ROOT, 'apps', 'media', 'src', 'sanitizer'))
})

test('a missing entry is an error', async () => {
  await expect(bundleOf('tracking', entryOf('nowhere'))).rejects.toThrow(LauncherError)
})
