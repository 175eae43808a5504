import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REDIS_READS, REDIS_WRITES } from '@palanquin/db/redis-keys'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { type LogCall, productionCalls } from './log-calls.ts'
import { productionSources, type Source } from './sources.ts'

/** The pages of docs/reference by their files, as the code has it. */
export function referencePages(): Map<string, string> {
  const sources = productionSources()
  const sample = readFileSync(join(PROJECT_ROOT, '.env.example'), 'utf8')
  const page = (name: string, title: string, text: string) =>
    [`docs/reference/${name}.md`, `# ${title}\n\n${GENERATED}\n\n${text}\n`] as const
  return new Map([
    page('events', 'Log events', eventTables(productionCalls())),
    page('metrics', 'Metrics', `${OF}\n\n${metricTable(sources)}`),
    page('redis-keys', 'Redis keys', `${PATTERNS}\n\n${redisTable()}`),
    page('settings', 'Settings', settingTables(sample)),
  ])
}

const GENERATED = 'Written by `bun run reference`. What to do: [operations](../operations.md).'
const OF = 'Where: `all` processes, `events`: those on the event bus, else the one that is named.'
const PATTERNS = '`{s??}` is the hash tag of a participant’s shard, `*` the rest of a key.'

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug'] as const

/** A section for each level: the codes that are logged at it and no higher, with their messages; of debug the codes alone. */
export function eventTables(calls: readonly LogCall[]): string {
  const events = [...Map.groupBy(calls, ({ event }) => event)].map(([event, lines]) => ({
    cells: [code(event), [...new Set(lines.map(({ message }) => plain(message)))].sort().join('; ')],
    level: LEVELS.find((level) => lines.some((line) => line.level === level)) ?? 'debug',
  }))
  const sections = LEVELS.flatMap((level) => {
    const cells = events.flatMap((one) => (one.level === level ? [one.cells] : [])).sort(byFirst)
    if (cells.length === 0) return []
    const body =
      level === 'debug' ? cells.map(([event]) => event).join(', ') : table(['Event', 'Message'], cells)
    return [`## ${level}\n\n${body}`]
  })
  return sections.join('\n\n')
}

/** What the sources register, in the form that the helpers of packages/service take. */
const METRIC =
  /name: '(palanquin_[a-z0-9_]+)',\s+help: (['"])(.*?)\2,(?:\s+(?:label: '(\w+)'|labels: \{([^}]*)\}|labelNames: \[([^\]]*)\]))?/g

export const metricTable = (sources: readonly Source[]): string => {
  const cells = sources.flatMap(({ file, text }) =>
    [...text.matchAll(METRIC)].map(([, name = '', , help = '', label = '', labels = '', names = '']) => {
      const used = [
        label,
        ...[...labels.matchAll(/(\w{1,40}):/g), ...names.matchAll(/'(\w+)'/g)].map(([, one]) => one),
      ]
      return [code(name), used.filter(Boolean).join(', '), processOf(file), plain(help)]
    }),
  )
  return table(['Metric', 'Labels', 'Where', 'Meaning'], cells.sort(byFirst))
}

function processOf(file: string): string {
  if (file.startsWith('packages/service/')) return 'all'
  return file.startsWith('apps/tracking/src/live/') ? 'map' : (file.split('/')[1] ?? '')
}

function redisTable(): string {
  const keys = new Map(Object.values(REDIS_WRITES).flatMap((written) => Object.entries(written)))
  const writersOf = (key: string) =>
    Object.keys(REDIS_WRITES).filter((name) => key in (REDIS_WRITES[name] ?? {}))
  const readersOf = (key: string) =>
    Object.keys(REDIS_READS).filter((name) => REDIS_READS[name]?.includes(key))
  const cells = [...keys].map(([key, holds]) => [
    code(key),
    writersOf(key).join(', '),
    readersOf(key).join(', '),
    holds,
  ])
  return table(['Key', 'Written by', 'Also read by', 'Holds'], cells.sort(byFirst))
}

/** A section for each `# ── … ──` of .env.example, and a row for the settings below one comment. */
export function settingTables(sample: string): string {
  const [intro = '', ...parts] = sample.split(/^# ── (.+?) ─+$/m)
  const sections = parts.flatMap((part, at) => {
    if (at % 2 === 0) return [`## ${plain(part)}`]
    const rows = [...part.matchAll(/((?:^# .*\n)*)((?:^#[A-Z].*\n?)+)/gm)].map(
      ([, comment = '', settings = '']) => [
        settings
          .trim()
          .split('\n')
          .map((setting) => code(setting.slice(1)))
          .join(' '),
        prose(comment),
      ],
    )
    return [table(['Setting = default', 'Meaning'], rows)]
  })
  return [prose(intro), ...sections].join('\n\n')
}

const prose = (comment: string): string => plain(comment.replace(/^# /gm, '').trim().replaceAll('\n', ' '))
const byFirst = ([a = '']: string[], [b = '']: string[]): number => (a < b ? -1 : 1)
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
const plain = (text: string): string => text.replace(/[<|]/g, '\\$&')
const table = (head: readonly string[], rows: readonly string[][]): string =>
  [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
