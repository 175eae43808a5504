import { afterEach, beforeEach, expect, describe as group, setDefaultTimeout, spyOn, test } from 'bun:test'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { nonBlockingOutput } from './log-output.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** A reader that takes `space` bytes and then none. */
function slowReader(space: number) {
  let text = ''
  return {
    read: () => text,
    takes: (bytes: number) => {
      space += bytes
    },
    send: (bytes: Uint8Array): number => {
      if (space === 0) throw Object.assign(new Error('try again'), { code: 'EAGAIN' })
      const taken = bytes.subarray(0, space)
      space -= taken.length
      text += new TextDecoder().decode(taken)
      return taken.length
    },
  }
}
const gap = (lines: number) => `gap of ${lines}\n`

group('standard output for a log', () => {
  const sleepSync = spyOn(Bun, 'sleepSync')
  beforeEach(() => void sleepSync.mockClear())

  test('what a slow reader does not take waits, in order, without blocking', async () => {
    const reader = slowReader(4)
    const output = nonBlockingOutput(gap, { send: reader.send })
    output.write('one\ntwo\n')
    output.write('three\n')
    expect(reader.read()).toBe('one\n')
    reader.takes(1_000)
    await until(() => reader.read() === 'one\ntwo\nthree\n', { what: 'the rest' })
    expect(sleepSync).not.toHaveBeenCalled()
  })

  test('what does not fit in memory is dropped, and a line in its place has the number of lines', async () => {
    const reader = slowReader(0)
    const output = nonBlockingOutput(gap, { send: reader.send, bytesMax: 14 })
    output.write('one\ntwo\n')
    output.write('a line too long\nand another\n')
    output.write('a third too long\n')
    reader.takes(1_000)
    await until(() => reader.read() === 'one\ntwo\n', { what: 'what waited' })
    output.write('four\n')
    expect(reader.read()).toBe('one\ntwo\ngap of 3\nfour\n')
  })

  test('a disk that is full costs whole lines, and the next one begins on a line of its own', () => {
    let space = 6
    let text = ''
    const output = nonBlockingOutput(gap, {
      send: (bytes) => {
        if (space === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
        const taken = bytes.subarray(0, space)
        space -= taken.length
        text += new TextDecoder().decode(taken)
        return taken.length
      },
    })
    output.write('one\ntwo\n')
    output.write('three\n')
    space = 1_000
    output.write('four\n')
    expect(text).toBe('one\ntw\ngap of 2\nfour\n')
  })

  test('the end waits for a reader that is slow, and not for one that has stopped', () => {
    const reader = slowReader(0)
    sleepSync.mockImplementation(() => reader.takes(3))
    const output = nonBlockingOutput(gap, { send: reader.send })
    output.write('last words\n')
    output.end()
    expect(reader.read()).toBe('last words\n')
    sleepSync.mockRestore()
    const stopped = nonBlockingOutput(gap, { send: slowReader(0).send })
    stopped.write('unheard\n')
    stopped.end()
  })
})

group('a process whose log is not read', () => {
  let folder: string
  let pipe: number
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-pipe-'))
    const path = join(folder, 'pipe')
    Bun.spawnSync(['mkfifo', path])
    pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  })
  afterEach(() => {
    closeSync(pipe)
    rmSync(folder, { recursive: true, force: true })
  })
  /** What has been written to the pipe and not read. */
  const read = (): string => {
    const bytes = Buffer.alloc(1_048_576)
    try {
      return bytes.toString('utf8', 0, readSync(pipe, bytes))
    } catch {
      return '' // nothing there
    }
  }

  test('runs without a pause, and reports afterwards how many lines are missing', async () => {
    const LINES = 40_000
    const source = `import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
      import { readFileSync } from 'node:fs'
      const log = createLog({ service: 'test', level: 'info' })
      const pauses = () => Number(/^voluntary_ctxt_switches:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
      const before = pauses()
      for (let n = 0; n < ${LINES}; n++) log.warn({ n }, 'counted')
      process.stderr.write(String(pauses() - before))
      for await (const _ of process.stdin) log.warn('space again')
      process.exit(0)`
    const child = Bun.spawn([process.execPath, '-e', source], { stdin: 'pipe', stdout: pipe, stderr: 'pipe' })
    const pauses = new TextDecoder().decode((await child.stderr.getReader().read()).value)
    // Each wait for the reader would be one; the collector's locks are some.
    expect(Number(pauses)).toBeLessThan(LINES / 20)

    let text = ''
    const readOn = () => {
      text += read()
      return text
    }
    await until(() => readOn().length > 1_000_000, { what: 'what waited in memory' })
    child.stdin.write('go')
    child.stdin.flush()
    await until(() => readOn().includes('space again'), { what: 'a line after' })
    child.stdin.end()
    expect(await child.exited).toBe(0)
    const lines = readOn().trim().split('\n')
    const counted = lines.map((line) => JSON.parse(line) as { n?: number; lines?: number; event?: string })
    const missing = counted.filter(({ event }) => event === 'log.lines_dropped')
    const there = counted.flatMap(({ n }) => n ?? [])
    expect(missing).toHaveLength(1)
    expect(there).toEqual(there.map((_, n) => n))
    expect(there.length + (missing[0]?.lines ?? 0)).toBe(LINES)
  })
})
