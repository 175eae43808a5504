import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runScript, throwawayFolder } from '../../test/throwaway.ts'
import { findPostgres, restoreLink } from './binaries.ts'

const LINK = { source: 'lib/libpq.so.5.18', target: 'lib/libpq.so.5' }
let folder: ReturnType<typeof throwawayFolder>

/** A package folder with one library, and no link to it yet. */
function packageFolder(name: string): string {
  const root = join(folder.path, name)
  mkdirSync(join(root, 'lib'), { recursive: true })
  writeFileSync(join(root, LINK.source), 'library')
  return root
}

beforeAll(() => {
  folder = throwawayFolder()
})
afterAll(() => folder.remove())

test('the programs of the package run, so every library that they need is found', () => {
  const { postgres, initdb } = findPostgres()
  for (const program of [postgres, initdb]) {
    const asked = Bun.spawnSync([program, '--version'])
    expect([asked.stderr.toString(), asked.stdout.toString()]).toEqual([
      '',
      expect.stringContaining('(PostgreSQL) 18.'),
    ])
  }
})

test('a missing link is made, relative, so that the folder can be moved; a dangling one is replaced', () => {
  const root = packageFolder('missing')
  restoreLink(root, LINK)
  restoreLink(root, LINK)
  expect(readlinkSync(join(root, LINK.target))).toBe('libpq.so.5.18')
  const dangling = packageFolder('dangling')
  symlinkSync('libpq.so.4', join(dangling, LINK.target))
  restoreLink(dangling, LINK)
  expect(readFileSync(join(dangling, LINK.target), 'utf8')).toBe('library')
})

test('several processes may make the links at the same time', async () => {
  const root = packageFolder('contended')
  const links = Array.from({ length: 200 }, (_, at) => ({ source: LINK.source, target: `lib/link-${at}` }))
  const script = `
    import { restoreLink } from '../src/postgres/binaries.ts'
    for (const link of ${JSON.stringify(links)}) restoreLink(${JSON.stringify(root)}, link)
    console.log('made')`
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => runScript(script).line()))
  expect(outcomes).toEqual(['made', 'made', 'made', 'made'])
  for (const { target } of links) expect(readFileSync(join(root, target), 'utf8')).toBe('library')
})

test('where a link cannot be made, the sentence says who can', () => {
  const root = packageFolder('impossible')
  expect(() => restoreLink(root, { source: LINK.source, target: 'none/libpq.so.5' })).toThrow(
    /as the user who owns/,
  )
})
