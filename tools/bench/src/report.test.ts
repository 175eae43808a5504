import { expect, test } from 'bun:test'
import type { Result } from './benchmark.ts'
import { cellsOf, withFigures } from './report.ts'

const RESULT: Result = {
  name: 'checkin',
  better: 'more',
  wanted: 0.3,
  unit: 'requests/s',
  notes: [],
  ours: [4_000, 5_000, 6_000],
  yardstick: [20_000, 20_000, 20_000],
  ratio: 0.25,
  ratioLow: 0.2,
  ratioHigh: 0.3,
  cpuRatio: 0.1,
  at: '2026-11-22T00:00:00.000Z',
  machine: 'a machine',
  load: 'wrk',
}
const CELLS = ['checkin', '5,000 requests/s', '20,000', '0.25 (0.20-0.30)', '0.10', '≥ 0.3', 'missed']
const DOCUMENT = `Before.
<!-- figures: ./palanquin bench --into FILE writes them -->
| Benchmark | Ours |
| --- | --- |
| data | 7 |
| checkin | 9 |
<!-- end of the figures -->
After.`

test('a figure names its yardstick, both ratios, its target and whether it is met', () => {
  expect(cellsOf(RESULT)).toEqual(CELLS)
  expect(cellsOf({ ...RESULT, ratio: 0.31 }).at(-1)).toBe('reached')
  const { cpuRatio: _, wanted: __, ...open } = RESULT
  expect(cellsOf(open).slice(-3)).toEqual(['', '', 'more is better'])
})

test('a run replaces its own rows in a document, adds new ones, and leaves everything else', () => {
  const written = withFigures(DOCUMENT, [RESULT, { ...RESULT, name: 'new' }])
  const rows = written.split('\n').filter((line) => line.startsWith('| '))
  expect(rows.slice(2)).toEqual([
    '| data | 7 |',
    `| ${CELLS.join(' | ')} |`,
    `| ${['new', ...CELLS.slice(1)].join(' | ')} |`,
  ])
  expect(written).toStartWith('Before.\n')
  expect(written).toEndWith('\nAfter.')
  expect(withFigures(written, [RESULT])).toBe(written)
})

test('a document without a marked table is not changed', () =>
  expect(() => withFigures('# Nothing', [RESULT])).toThrow('no table of figures'))
