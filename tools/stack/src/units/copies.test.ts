import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Home, homeAt } from '../run-state/home.ts'
import { copiesOf, copiesWanted, journalOf, processNames } from './copies.ts'

let home: Home
beforeEach(() => {
  home = homeAt(mkdtempSync(join(tmpdir(), 'palanquin-copies-')))
})
afterEach(() => rmSync(home.folder, { recursive: true }))

test('COPIES is a number from 1 to 9, by default 1', () => {
  expect(copiesWanted({})).toBe(1)
  expect(copiesWanted({ COPIES: '9' })).toBe(9)
  for (const COPIES of ['0', '10', '2.5', 'two']) expect(() => copiesWanted({ COPIES })).toThrow('COPIES')
})

test('a copy of tracking with a non-empty journal runs, whatever COPIES says', () => {
  mkdirSync(journalOf(home, 2))
  mkdirSync(journalOf(home, 3))
  writeFileSync(join(journalOf(home, 2), 'instance'), 'name')
  expect(copiesOf(home, {}, 'tracking')).toBe(1)
  writeFileSync(join(journalOf(home, 3), '000000000001.log'), 'a line')
  expect(copiesOf(home, {}, 'tracking')).toBe(3)
  expect(copiesOf(home, {}, 'media')).toBe(1)
})

test('every copy with a pid file is stopped, even after COPIES has changed', () => {
  mkdirSync(home.runFolder)
  for (const name of ['line-bot', 'line-bot-2', 'tracking-3', 'line-stub', 'redis', 'gateway'])
    writeFileSync(home.pidFile(name), '{}')
  expect(processNames(home)).toEqual([
    'gateway',
    'tracking',
    'tracking-3',
    'map',
    'engagement',
    'media',
    'line-bot',
    'line-bot-2',
  ])
})
