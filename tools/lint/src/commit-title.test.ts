import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'commit-title-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function isAccepted(message: string): boolean {
  const file = join(folder, 'message')
  writeFileSync(file, message)
  return Bun.spawnSync([join(PROJECT_ROOT, '.githooks/commit-msg'), file]).exitCode === 0
}

test('the hook takes a title of at most 72 characters in the imperative, and leaves the body alone', () => {
  for (const message of [
    'Refuse PostgreSQL older than 16 at every start\n\nAdded because it says so.',
    '# a comment of git\nNeed a lease before writing',
    `Show ${'宮'.repeat(67)}`,
    "Merge branch 'layout'",
  ])
    expect(isAccepted(message), message).toBe(true)
})

test('it refuses one that is too long, in another mood, without its capital, or with a full stop', () => {
  for (const message of [
    `Show ${'宮'.repeat(68)}`,
    'Say what holds now',
    'Added a lint of folders',
    'Fixes the launcher',
    'add a lint of folders',
    'Add a lint of folders.',
    '',
  ])
    expect(isAccepted(message), message).toBe(false)
})
