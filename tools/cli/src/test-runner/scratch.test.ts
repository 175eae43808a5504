import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scratchParent, useScratch } from './scratch.ts'

const GIB = 2 ** 30
let parent: string

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'palanquin-scratch-'))
})
afterAll(() => rmSync(parent, { recursive: true, force: true }))

const machine = (freeBytes: number, availableBytes: number) => ({
  folder: '/memory',
  freeBytes: () => freeBytes,
  availableBytes: () => availableBytes,
})

test('tests keep their files in memory where there is enough of it', () => {
  expect(scratchParent(machine(4 * GIB, 8 * GIB))).toBe('/memory')
})

test('a small shared memory, or little memory, leaves them in the usual folder', () => {
  for (const [free, available] of [
    [64 * 2 ** 20, 16 * GIB],
    [0, 16 * GIB],
    [8 * GIB, 7 * GIB],
  ] as const)
    expect(scratchParent(machine(free, available))).toBe(tmpdir())
})

test('what is made for temporary files lies in the scratch folder, and goes with it', () => {
  const usual = tmpdir()
  const { folder, remove } = useScratch(parent)
  expect(tmpdir()).toBe(folder)
  const made = mkdtempSync(join(tmpdir(), 'some-'))
  writeFileSync(join(made, 'file'), 'x')
  remove()
  expect(existsSync(folder)).toBe(false)
  expect(tmpdir()).toBe(usual)
})
