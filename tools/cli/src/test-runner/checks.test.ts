import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identify } from '@palanquin/embedded/process'
import { until } from '@palanquin/testing/until'
import { runCommand } from './command.ts'
import { readCounts } from './junit.ts'
import { countLine, inWords, sum } from './outcome.ts'
import { judge, suites } from './suites.ts'

const { signal } = new AbortController()

/** The outcome of a real run of Bun on this test file. */
async function judged(source: string) {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-checks-'))
  try {
    writeFileSync(join(folder, 'some.test.ts'), source)
    const report = join(folder, 'report.xml')
    const flags = ['--reporter=junit', `--reporter-outfile=${report}`]
    const ran = await runCommand([process.execPath, 'test', ...flags], { cwd: folder, signal })
    const xml = (await Bun.file(report).exists()) ? await Bun.file(report).text() : undefined
    return judge(xml, ran)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const HEAD = `import { expect, test } from 'bun:test'\n`

test('passed, failed and skipped tests are counted as Bun reports them', async () => {
  const tests = `test('a', () => {}); test('b', () => { expect(1).toBe(2) }); test.skipIf(true)('c', () => {})`
  const outcome = await judged(HEAD + tests)
  expect(outcome).toMatchObject({ passed: 1, failed: 1, skipped: 1 })
  expect(outcome.output).toContain('Received: 1')
  expect(outcome.output).not.toContain('(pass)')
})

test('a runner that crashes counts as failed', async () => {
  expect(await judged(`${HEAD}test('a', () => process.kill(process.pid, 'SIGKILL'))`)).toMatchObject({
    passed: 0,
    failed: 1,
  })
})

test('a file that throws while loading counts as failed', async () => {
  expect((await judged(`${HEAD}test('a', () => {}); throw new Error('at load')`)).failed).toBe(1)
})

test('a file without tests counts as failed', async () => {
  expect((await judged(HEAD)).failed).toBe(1)
})

test('a bad exit code counts as failed even when the report is clean', () => {
  const report = '<testsuites name="bun test" tests="2" failures="0" skipped="0">'
  expect(readCounts(report)).toEqual({ passed: 2, failed: 0, skipped: 0 })
  expect(judge(report, { exitCode: 139, output: '' })).toMatchObject({ passed: 2, failed: 1 })
})

test('the last line is the count alone; the line of a check names skipped tests', () => {
  const total = sum([
    { passed: 2, failed: 0, skipped: 0 },
    { passed: 3, failed: 1, skipped: 0 },
  ])
  expect(inWords(total)).toBe('5 passed, 1 failed')
  expect(inWords({ ...total, skipped: 4 })).toBe('5 passed, 1 failed, 4 skipped')
  expect(countLine({ ...total, skipped: 4 })).toBe('5 passed, 1 failed')
})

test('each test file of a package is run by one check: slow waiting ones alone, all others together', async () => {
  const root = mkdtempSync(join(tmpdir(), 'palanquin-checks-'))
  try {
    mkdirSync(join(root, 'some/src'), { recursive: true })
    writeFileSync(join(root, 'some/package.json'), '{"scripts":{"test":"bun test"}}')
    for (const name of ['crash', 'crashing', 'redis-away', 'walk', 'plain', 'away.of'])
      writeFileSync(join(root, `some/src/${name}.test.ts`), `${HEAD}test('${name}', () => {})`)
    const { alone, concurrent, e2e } = suites('some', { env: {}, reports: join(root, 'reports'), root })
    expect([...alone, ...concurrent, ...e2e].map(({ name }) => name)).toEqual([
      ...['some away.of', 'some crash', 'some redis-away'],
      'some',
    ])
    for (const { run } of [...alone, ...e2e])
      expect(await run(signal)).toMatchObject({ passed: 1, failed: 0 })
    expect(await concurrent[0]?.run(signal)).toMatchObject({ passed: 3, failed: 0 })
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('a program that is stopped ends with all its children, and is not waited for', async () => {
  const stop = new AbortController()
  const note = join(mkdtempSync(join(tmpdir(), 'palanquin-checks-')), 'child')
  const ran = runCommand(['sh', '-c', 'sleep 600 & echo $! > "$0"; sleep 600', note], { signal: stop.signal })
  const child = await until(
    async () =>
      (
        await Bun.file(note)
          .text()
          .catch(() => '')
      ).trim(),
    {
      what: 'the start of the child',
    },
  )
  stop.abort()
  expect((await ran).exitCode).not.toBe(0)
  await until(() => identify(Number(child)) === undefined, { what: 'the end of the child' })
})

test('a report names each file with its time once, failed tests with their errors, and skipped ones', async () => {
  const tests = `import { describe } from 'bun:test'
describe('a group', () => { test('b & "c"', () => {}); test.skip('d < 3 (skipped: no disk)', () => {})\n  test('e', () => { throw new Error('<failure') })\n  test('f', () => { expect(1).toBe(2) }) })`
  const { details } = await judged(HEAD + tests)
  expect(details?.files).toEqual([{ file: 'some.test.ts', seconds: expect.any(Number) }])
  expect(details?.files[0]?.seconds).toBeGreaterThan(0)
  expect(details?.failedTests).toEqual([
    { title: 'e', reason: '<failure' },
    { title: 'f', reason: 'expect(received).toBe(expected) Expected: 2 Received: 1' },
  ])
  expect(details?.skippedTests).toEqual(['d < 3 (skipped: no disk)'])
})
