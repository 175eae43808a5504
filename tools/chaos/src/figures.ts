import { join } from 'node:path'
import { readIfThere } from '@palanquin/embedded/file'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { type Findings, listsOf } from './report.ts'

const Count = Type.Integer({ minimum: 0 })

/** The result of a run as one row. */
export const Figures = Type.Object({
  copies: Count,
  injected: Count,
  acknowledged: Count,
  indeterminate: Count,
  lost: Count,
  doubled: Count,
  phantom: Count,
  effects: Count,
  recoveredMs: Type.Union([Type.Number(), Type.Null()]),
})
export type Figures = Static<typeof Figures>

/** Where a run's home keeps it. */
export const figuresFile = (folder: string): string => join(folder, 'chaos.json')

export function figuresOf(findings: Findings, copies: number): Figures {
  const { audit, injected, recoveredMs = null } = findings
  const { acknowledged, indeterminate } = audit
  const { lost = [], doubled = [], phantom = [], ...effects } = listsOf(findings)
  return {
    copies,
    injected,
    acknowledged,
    indeterminate,
    recoveredMs,
    lost: lost.length,
    doubled: doubled.length,
    phantom: phantom.length,
    effects: Object.values(effects).flat().length,
  }
}

/** The result of a completed run; else undefined. */
export function readFigures(folder: string): Figures | undefined {
  const value: unknown = JSON.parse(readIfThere(figuresFile(folder)) ?? 'null')
  return Value.Check(Figures, value) ? value : undefined
}

/** The head of the Markdown table of several runs. */
export const HEADS = [
  markdown(
    ...['seed', 'copies', 'faults', 'acknowledged', 'indeterminate', 'lost', 'doubled', 'phantom'],
    ...['effects wrong', 'ready again after'],
  ),
  `|${'--:|'.repeat(10)}`,
].join('\n')

export function rowOf(seed: number, figures: Figures | undefined): string {
  if (!figures) return markdown(String(seed), ...Array<string>(8).fill(''), 'did not come to an end')
  const { copies, injected, acknowledged, indeterminate, lost, doubled, phantom, effects, recoveredMs } =
    figures
  return markdown(
    ...[seed, copies, injected, acknowledged, indeterminate, lost, doubled, phantom, effects].map((count) =>
      count.toLocaleString('en-US'),
    ),
    recoveredMs === null ? 'never' : `${(recoveredMs / 1000).toFixed(1)} s`,
  )
}

function markdown(...cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}
