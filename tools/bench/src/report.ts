import { table } from '@palanquin/stack/table'
import { isReached, median, type Result } from './benchmark.ts'

const HEADS = ['Benchmark', 'Ours', 'Yardstick', 'Ratio (rounds)', 'By processor time', 'Wanted', '']

/** The figures of a document are between these two lines, and are replaced. */
const BEGIN = '<!-- figures: ./palanquin bench --into FILE writes them -->'
const END = '<!-- end of the figures -->'

/** One figure as text: what was measured, both ratios, the target, and whether it is met. */
export function cellsOf(result: Result): string[] {
  const { name, unit, ours, yardstick, ratio, ratioLow, ratioHigh, cpuRatio } = result
  return [
    name,
    `${figure(median(ours))} ${unit}`,
    figure(median(yardstick)),
    `${ratio.toFixed(2)} (${ratioLow.toFixed(2)}-${ratioHigh.toFixed(2)})`,
    cpuRatio === undefined ? '' : cpuRatio.toFixed(2),
    ...judgement(result),
  ]
}

export const tableOf = (results: readonly Result[]): string =>
  table(HEADS, results.map(cellsOf), ['left', 'right', 'right', 'right', 'right', 'right', 'left'])

const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** A document with these figures in its table. @throws Error when it has no marked table */
export function withFigures(document: string, results: readonly Result[]): string {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`it has no table of figures between ${BEGIN} and ${END}`)
  const rows = new Map(
    document
      .slice(from + BEGIN.length, to)
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2)
      .map((line) => [line.split('|')[1]?.trim() ?? '', line] as const),
  )
  for (const result of results) rows.set(result.name, lineOf(cellsOf(result)))
  const lines = [lineOf(HEADS), lineOf(HEADS.map(() => '---')), ...rows.values()]
  return `${document.slice(0, from)}${BEGIN}\n${lines.join('\n')}\n${document.slice(to)}`
}

function judgement(result: Result): [wanted: string, word: string] {
  const reached = isReached(result)
  if (reached === undefined) return ['', `${result.better} is better`]
  return [`${result.better === 'more' ? '≥' : '≤'} ${result.wanted}`, reached ? 'reached' : 'missed']
}

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)
