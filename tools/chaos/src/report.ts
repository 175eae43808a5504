import { percentile } from '@palanquin/demo/request-counts'
import { table } from '@palanquin/stack/table'
import type { Audit } from '@palanquin/testing/faults/audit'
import type { Phones } from './load/phones.ts'

/** Items shown per list; the rest are counted. */
const SHOWN_MAX = 20

export type Findings = {
  audit: Audit
  /** Other violations, as sentences. */
  faults: string[]
  /** From the last fault to the first `/ready`; undefined when it never came. */
  recoveredMs: number | undefined
  injected: number
  phones: Phones
  /** Messages delivered by the bot, replies included. */
  messages: number
}

/** What must be empty, and what was found. */
export const listsOf = ({ audit, faults }: Findings): Record<string, readonly string[]> => ({
  lost: audit.lost,
  doubled: audit.doubled,
  phantom: audit.phantom,
  'figures that are wrong': audit.wrong,
  'participants without a track': audit.trackless,
  'rollups that are wrong': audit.rollups,
  'other effects that are wrong': faults,
})

/** Whether every invariant held. */
export const invariantHolds = (findings: Findings): boolean =>
  Object.values(listsOf(findings)).every((list) => list.length === 0)

/** The table of a run, followed by the violations. */
export function reportOf(findings: Findings): string {
  const { audit, phones, recoveredMs, injected, messages } = findings
  const statuses = [...phones.answers].toSorted().map(([status, count]) => `${status}: ${whole(count)}`)
  const lists = Object.entries(listsOf(findings))
  const rows = [
    ['faults injected', whole(injected)],
    ['answers to phones', statuses.join('  ')],
    [
      'answered in',
      `p50 ${percentile(phones.tookMs, 0.5).toFixed(0)} ms, p99 ${percentile(phones.tookMs, 0.99).toFixed(0)} ms`,
    ],
    ['ready again after', recoveredMs === undefined ? 'never' : `${(recoveredMs / 1000).toFixed(1)} s`],
    ['messages in the chat', whole(messages)],
    ['acknowledged', whole(audit.acknowledged)],
    ['indeterminate', whole(audit.indeterminate)],
    ...lists.map(([name, list]) => [name, whole(list.length)]),
  ]
  const broken = lists.flatMap(([name, list]) =>
    list.length === 0
      ? []
      : [
          `\n${name}:`,
          ...list.slice(0, SHOWN_MAX).map((one) => `  ${one}`),
          ...more(list.length - SHOWN_MAX),
        ],
  )
  return [table(['', ''], rows), ...broken].join('\n')
}

const more = (count: number): string[] => (count > 0 ? [`  and ${whole(count)} more`] : [])
const whole = (value: number): string => value.toLocaleString('en-US')
