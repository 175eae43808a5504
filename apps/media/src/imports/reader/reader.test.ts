import { expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { zipSync } from 'fflate'
import { type Line, readInProcess } from './reader.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const MIB = 1_048_576
const FAULTY = fileURLToPath(new URL('../../../test/faulty-reader-process.ts', import.meta.url))
const bytes = (text: string) => new TextEncoder().encode(text)
const linesOf = (file: Uint8Array<ArrayBuffer>, options: Parameters<typeof readInProcess>[1] = {}) =>
  Array.fromAsync(readInProcess(file, { headWithinMs: TEST_TIMEOUT_MS, ...options }).lines)
const refusalOf = (lines: readonly Line[]) =>
  lines.flatMap((line) => ('refused' in line ? [line.refused.sentence] : []))
const faulty = async (how: string, options = {}) =>
  refusalOf(await linesOf(bytes(how), { script: FAULTY, ...options }))

test('a file comes back as its head and its points, a thousand in a line', async () => {
  const points = Array.from(
    { length: 2_500 },
    (_, at) =>
      `<trkpt lat="24.${at}" lon="120.6"><time>${new Date(1_776_434_700_000 + at * 1_000).toISOString()}</time></trkpt>`,
  )
  const [head, ...rest] = await linesOf(bytes(`<gpx>${points.join('')}<trkpt lat="1" lon="1"/></gpx>`))
  expect(head).toEqual({
    head: {
      format: 'gpx',
      points: 2_500,
      withoutTime: 1,
      withoutPlace: 0,
      incomplete: false,
      from: '2026-04-17T14:05:00.000Z',
      to: '2026-04-17T14:46:39.000Z',
    },
  })
  expect(rest.map((line) => ('fixes' in line ? line.fixes.length : 0))).toEqual([1_000, 1_000, 500])
})

test('a bomb ends in a sentence, and this process does not grow', async () => {
  const kml = new Uint8Array(256 * MIB).fill(0x20)
  kml.set(bytes('<kml><Placemark></Placemark>'))
  const bomb = zipSync({ 'doc.kml': kml }, { level: 9 })
  const before = process.memoryUsage.rss()
  const [sentence, ...others] = refusalOf(await linesOf(new Uint8Array(bomb)))
  expect(sentence).toMatch(/no end|200 MiB/)
  expect(others).toEqual([])
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB)
})

test('the process that takes too long is ended by the kernel, with a sentence', async () => {
  expect(await faulty('spin', { processorS: 1 })).toEqual([expect.stringMatching(/seconds of computing/)])
})

test('the one that grows, hangs or breaks is ended too', async () => {
  expect(await faulty('grow', { rssBytesMax: 300_000_000 })).toEqual([
    expect.stringMatching(/too much memory/),
  ])
  expect(await faulty('hang', { headWithinMs: 500 })).toEqual([expect.stringMatching(/seconds of computing/)])
  expect(await faulty('crash')).toEqual([expect.stringMatching(/broke the program/)])
})

test('it has nothing of ours in its environment', async () => {
  const [names] = await faulty('environment')
  // What a shell sets by itself.
  const own = ['PWD', 'OLDPWD', 'SHLVL', '_', '']
  expect(names?.split(',').filter((name) => !own.includes(name))).toEqual([])
})

test('a reading that is ended leaves no process', async () => {
  const reading = readInProcess(bytes('hang'), { script: FAULTY })
  reading.end()
  expect(refusalOf(await Array.fromAsync(reading.lines))).toHaveLength(1)
})
