import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REDIS_READS, REDIS_WRITES } from '@palanquin/db/redis-keys'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { readVariables } from '@palanquin/stack/settings/service-variables'
import { type LogCall, productionCalls } from './log-calls.ts'
import { productionSources, type Source } from './sources.ts'

/** The pages of docs/reference by their files, as the code has it. */
export async function referencePages(): Promise<Map<string, string>> {
  const sources = productionSources()
  const sample = readFileSync(join(PROJECT_ROOT, '.env.example'), 'utf8')
  const page = (name: string, title: string, text: string) =>
    [`docs/reference/${name}.md`, `# ${title}\n\n${GENERATED}\n\n${text}\n`] as const
  return new Map([
    page('events', 'Log events', eventTables(productionCalls())),
    page('metrics', 'Metrics', `${OF}\n\n${metricTable(sources)}`),
    page('redis-keys', 'Redis keys', `${PATTERNS}\n\n${redisTable()}`),
    page('settings', 'Settings', `${MEANING}\n\n${settingTable(sample, await settingsByProcess())}`),
  ])
}

const GENERATED = 'Written by `bun run reference`. What to do: [operations](../operations.md).'
const OF = 'Where: `all` processes, `events`: those on the event bus, else the one that is named.'
const MEANING =
  'What each means: [.env.example](../../.env.example), and for those that ./palanquin or compose set the `config.ts` of a process.'
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

/** A row for each setting: its value in .env.example, and the processes that read it; else it is for what starts them. */
export function settingTable(sample: string, readers: ReadonlyMap<string, readonly string[]>): string {
  const defaults = new Map(
    [...sample.matchAll(/^#([A-Z]\w*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
  const processes = [...readers.keys()]
  const cells = [...new Set([...defaults.keys(), ...[...readers.values()].flat()])].map((name) => {
    const of = processes.filter((process) => readers.get(process)?.includes(name))
    const value = defaults.get(name)
    return [
      code(name),
      value ? code(value) : '',
      of.length === processes.length ? 'all' : of.join(', ') || '`./palanquin`, compose',
    ]
  })
  return table(['Setting', 'In .env.example', 'Read by'], cells.sort(byFirst))
}

/** The settings that each process reads, from its config.ts. */
async function settingsByProcess(): Promise<Map<string, readonly string[]>> {
  const files = [...new Bun.Glob('apps/*/src/**/config.ts').scanSync({ cwd: PROJECT_ROOT })].sort()
  const read = files.map(async (file): Promise<[string, readonly string[]]> => {
    const names = await readVariables(join(PROJECT_ROOT, file.replace('config.ts', 'main.ts')))
    const process = file.includes('/map/') ? 'map' : (file.split('/')[1] ?? '')
    return [process, names.map((name) => name.replace('<BRAND>', 'EVENT'))]
  })
  return new Map(await Promise.all(read))
}

const byFirst = ([a = '']: string[], [b = '']: string[]): number => (a < b ? -1 : 1)
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
const plain = (text: string): string => text.replace(/[<|]/g, '\\$&')
const table = (head: readonly string[], rows: readonly string[][]): string =>
  [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
