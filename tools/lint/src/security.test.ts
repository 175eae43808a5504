import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

const text = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8')
const rows = text('docs/security.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Surface'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
  .map(([attack = '', defence = '', tests = '']) => ({ attack, defence, tests }))

/** `file` “name”, “name”; `file` “name” → pairs. */
const testsIn = (cell: string) =>
  cell.split('; `').flatMap((part) => {
    const file = /^`?([^`]+)`/.exec(part)?.[1] ?? ''
    return [...part.matchAll(/“([^”]+)”/g)].map(([, name = '']) => ({ file, name }))
  })

test('docs/security.md has a row for every attack that we know of', () => {
  expect(rows.length).toBeGreaterThanOrEqual(29)
})

test.each(rows.map(({ attack, defence, tests }) => [attack, defence, tests] as const))(
  'what docs/security.md names against “%s” is there',
  (_, defence, tests) => {
    for (const [, path = ''] of defence.matchAll(/`([\w./-]*\/[\w./-]+|palanquin|bun\.lock)`/g))
      expect([path, existsSync(join(PROJECT_ROOT, path))]).toEqual([path, true])
    const named = testsIn(tests)
    expect(named.length).toBeGreaterThan(0)
    for (const { file, name } of named)
      expect([file, name, text(file).includes(name)]).toEqual([file, name, true])
  },
)
