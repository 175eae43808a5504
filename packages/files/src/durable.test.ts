import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appendDurably, makeFolder, sweepDrafts, writeAtomically, writeDraft } from './durable.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palanquin-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a file is replaced as a whole, in new folders, and nothing else is left there', () => {
  const file = join(folder, 'a', 'b', 'note')
  writeAtomically(file, 'a long former text')
  writeAtomically(file, new TextEncoder().encode('新'))
  expect(readFileSync(file, 'utf8')).toBe('新')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['note'])
})

test('a failed write leaves the old content and no draft', () => {
  const file = join(folder, 'note')
  writeAtomically(join(file, 'below'), 'x')
  expect(() => writeAtomically(file, 'y')).toThrow() // there is a folder of that name
  expect(() => writeAtomically(join(folder, 'x'.repeat(300)), 'y')).toThrow('ENAMETOOLONG')
  expect(readFileSync(join(file, 'below'), 'utf8')).toBe('x')
  expect(readdirSync(folder)).toEqual(['note'])
})

test('drafts that a crash left are removed, and nothing else', () => {
  writeDraft(join(folder, 'note'), 'half')
  writeFileSync(join(folder, 'a.draft'), 'a person’s own')
  sweepDrafts(folder)
  expect(readdirSync(folder)).toEqual(['a.draft'])
})

test('a folder is made with its mode, and an existing one stays as it is', () => {
  const made = join(folder, 'x', 'y')
  makeFolder(made, 0o700)
  makeFolder(made, 0o755)
  expect(statSync(made).mode & 0o777).toBe(0o700)
})

test('appended text follows the old text', () => {
  const file = join(folder, 'list')
  appendDurably(file, 'one\n')
  appendDurably(file, 'two\n')
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
})
