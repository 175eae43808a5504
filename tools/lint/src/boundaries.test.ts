import { expect, test } from 'bun:test'
import { breaches } from './rules.ts'
import { markSupport, type Package, readPackages } from './sources.ts'

test('nobody in the house knows whom they may not know', () => {
  const packages = readPackages()
  expect(packages.map(({ name }) => name)).toContain('domain')
  expect(breaches(packages)).toEqual([])
})

const room = (name: string, imports: string[], { file = 'src/room.ts', text = '' } = {}): Package => ({
  name,
  folder: `${name === 'gateway' || name === 'media' ? 'apps' : 'packages'}/${name}`,
  isApp: name === 'gateway' || name === 'media',
  dependencies: new Set([
    '@palanquin/db',
    '@palanquin/domain',
    '@palanquin/media',
    '@palanquin/testing',
    'typebox',
  ]),
  devDependencies: new Set(['fast-check']),
  sources: [{ file: `${name}/${file}`, text, isTest: file.endsWith('.test.ts'), imports }],
})

test.each([
  ['an app that knows another app', room('gateway', ['@palanquin/media/cards'])],
  ['a gateway that knows the database', room('gateway', ['@palanquin/db/client'])],
  ['a domain with a library', room('domain', ['fast-check'])],
  ['a domain that reads files', room('domain', ['node:fs'])],
  ['a domain that asks for the time', room('domain', [], { text: 'const now = Date.now()' })],
  ['a service that needs the test harness', room('service', ['@palanquin/testing/clock'])],
  ['an import that nobody declared', room('media', ['sharp'])],
  ['a source that uses what is declared for tests', room('media', ['fast-check'])],
  ['a relative path into another package', room('db', ['../../domain/src/point.ts'])],
])('the check catches %s', (_, offender) => {
  expect(breaches([offender])).toHaveLength(1)
})

test('the check lets a test use the harness and what is declared for tests', () => {
  expect(
    breaches([room('db', ['@palanquin/testing/clock', 'fast-check'], { file: 'src/a.test.ts' })]),
  ).toEqual([])
})

test('what only tests import may use what tests may, and stops to when a source imports it', () => {
  const source = (file: string, imports: string[]) => ({
    file,
    imports,
    text: '',
    isTest: file.endsWith('.test.ts'),
  })
  const sources = [
    source('a/app.test.ts', ['./stand.ts']),
    source('a/stand.ts', ['./deep.ts']),
    source('a/deep.ts', []),
  ]
  markSupport(sources)
  expect(sources.map(({ isTest }) => isTest)).toEqual([true, true, true])
  const used = [...sources.map((one) => source(one.file, one.imports)), source('a/main.ts', ['./deep.ts'])]
  markSupport(used)
  expect(used.map(({ isTest }) => isTest)).toEqual([true, true, false, false])
})
