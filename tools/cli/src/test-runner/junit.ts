import type { Details, Totals } from './outcome.ts'

/** The totals of Bun's JUnit report: the attributes of the outermost element. */
export function readCounts(xml: string): Totals | undefined {
  const [head] = /<testsuites\b[^>]*>/.exec(xml) ?? []
  if (!head) return undefined
  const count = (name: string): number => Number(attribute(head, name) ?? 0)
  const [failed, skipped] = [count('failures'), count('skipped')]
  return { passed: count('tests') - failed - skipped, failed, skipped }
}

/** Files in the order of the report. A `describe` is a suite element too, and is left out. */
export function readDetails(xml: string): Details {
  const suites = [...xml.matchAll(/<testsuite\b[^>]*>/g)].map(([head]) => head)
  const files = suites
    .filter((head) => attribute(head, 'name') === attribute(head, 'file'))
    .map((head) => ({ file: attribute(head, 'file') ?? '', seconds: Number(attribute(head, 'time') ?? 0) }))
  return { files, failedTests: titles(xml, 'failure'), skippedTests: titles(xml, 'skipped') }
}

/** Titles of the tests whose element begins with such an outcome. */
const titles = (xml: string, outcome: 'failure' | 'skipped'): string[] =>
  [...xml.matchAll(new RegExp(`(<testcase\\b[^>]*[^/]>)\\s*<${outcome}\\b`, 'g'))].map(([, head = '']) =>
    plain(attribute(head, 'name') ?? ''),
  )

const attribute = (head: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(head)?.[1]

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const plain = (text: string): string =>
  text.replace(/&(lt|gt|quot|apos|amp);/g, (all, name: string) => ENTITIES[name] ?? all)
