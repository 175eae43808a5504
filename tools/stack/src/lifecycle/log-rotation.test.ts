import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onSmallDisk, smallDisk, whyNoSmallDisk } from '@palanquin/testing/small-disk'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { logBytesMax, rotateLogs, rotateRegularly } from './log-rotation.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palanquin-logs-'))
  file = join(folder, 'tracking.log')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The numbers of a log's whole lines: the copy of a log may end within one that was just being written. */
const numbersIn = (log: string) => readFileSync(log, 'utf8').split('\n').slice(0, -1).map(Number)

const bytesIn = (where: string) =>
  readdirSync(where).reduce((sum, name) => sum + statSync(join(where, name)).size, 0)

test('a log that has reached its size becomes the previous one, and its writer goes on in an empty file', () => {
  const writer = openSync(file, 'a')
  appendFileSync(writer, 'one\n'.repeat(300))
  rotateLogs(folder, 1_000)
  appendFileSync(writer, 'two\n')
  closeSync(writer)
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('one\n'.repeat(300))
  expect(readFileSync(file, 'utf8')).toBe('two\n')
})

test('however much is written, a log and its previous one stay below twice the size', () => {
  const BYTES = 1_000
  for (let n = 0; n < 100; n++) {
    appendFileSync(file, 'x'.repeat(BYTES / 5))
    rotateLogs(folder, BYTES)
    expect(bytesIn(folder)).toBeLessThanOrEqual(2 * BYTES)
  }
})

test('a writer that never pauses keeps its lines in order', async () => {
  const BYTES_MAX = 400_000
  const source = `import { writeSync } from 'node:fs'
    for (let n = 0; n < 200_000; n++) writeSync(1, n + '\\n')`
  const output = openSync(file, 'a')
  const writer = Bun.spawn([process.execPath, '-e', source], { stdout: output })
  closeSync(output)
  const lines: number[] = []
  let previous = 0
  const collect = () => {
    const modified = existsSync(`${file}.1`) ? statSync(`${file}.1`).mtimeMs : 0
    if (modified === previous) return
    previous = modified
    lines.push(...numbersIn(`${file}.1`))
  }
  while (writer.exitCode === null) {
    rotateLogs(folder, BYTES_MAX)
    collect()
    await Bun.sleep(1)
  }
  expect(await writer.exited).toBe(0)
  rotateLogs(folder, BYTES_MAX)
  collect()
  lines.push(...numbersIn(file))
  expect(lines).toEqual(lines.toSorted((a, b) => a - b))
  expect(lines.length).toBeGreaterThan(150_000)
})

test.skipIf(whyNoSmallDisk !== null)(
  onSmallDisk('the disk of the logs is full: the log is cut, and the launcher goes on'),
  async () => {
    const disk = await smallDisk(1)
    const log = join(disk.folder, 'tracking.log')
    writeFileSync(log, 'one\n'.repeat(100_000))
    disk.fill()
    const problems: string[] = []
    const end = rotateRegularly(disk.folder, 1_000, (line) => problems.push(line))
    rotateLogs(disk.folder, 1_000)
    end()
    expect(statSync(log).size).toBe(0)
    expect(readdirSync(disk.folder).filter((name) => name.startsWith('tracking.log.'))).toEqual([])
    expect(problems).toEqual([])
    await disk.close()
  },
)

test('LOG_BYTES_MAX is a number of bytes', () => {
  expect(logBytesMax({})).toBe(67_108_864)
  expect(logBytesMax({ LOG_BYTES_MAX: '1000000' })).toBe(1_000_000)
  expect(() => logBytesMax({ LOG_BYTES_MAX: '64mb' })).toThrow('LOG_BYTES_MAX=64mb')
})
