import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

const MATRIX = readFileSync(join(PROJECT_ROOT, 'docs/faults.md'), 'utf8')
const FAULTS = MATRIX.split('\n## ')
  .slice(1)
  .map((section) => ({
    fault: section.slice(0, section.indexOf('\n')),
    tests: [...section.matchAll(/^- `([^`]+)` · (.+)$/gm)].flatMap(([, file = '', names = '']) =>
      names.split(' · ').map((name) => ({ file, name })),
    ),
  }))

test('every fault of the matrix has its tests', () => {
  expect(FAULTS).toHaveLength(30)
  expect(FAULTS.filter(({ tests }) => tests.length === 0)).toEqual([])
})

/** A name may stand in any kind of quotes; a part of one will do. */
const isThere = ({ file, name }: { file: string; name: string }): boolean => {
  const path = join(PROJECT_ROOT, file)
  return (
    existsSync(path) &&
    readFileSync(path, 'utf8')
      .split('\n')
      .some((line) => line.includes(name) && /['"`]/.test(line))
  )
}

test('every test that the matrix names is in the code', () => {
  expect(FAULTS.flatMap(({ tests }) => tests.filter((one) => !isThere(one)))).toEqual([])
})

test('a test that is not in the code is found missing', () => {
  expect(isThere({ file: 'tools/lint/src/fault-matrix.test.ts', name: 'no such' + ' test' })).toBe(false)
  expect(isThere({ file: 'no/such/file.test.ts', name: 'x' })).toBe(false)
})

test('no statement can stand outside its transaction: no source opens one of several statements', () => {
  const offenders = [...new Bun.Glob('{apps,packages}/*/src/**/*.ts').scanSync({ cwd: PROJECT_ROOT })]
    .filter((file) => !file.endsWith('.test.ts') && !/^packages\/(testing|local|embedded)\//.test(file))
    .filter((file) =>
      /\b(sql|db|orm|pool)\b[^\n]{0,40}\.(begin|transaction)\(/.test(
        readFileSync(join(PROJECT_ROOT, file), 'utf8'),
      ),
    )
  expect(offenders).toEqual([])
})
