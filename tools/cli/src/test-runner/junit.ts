import type { Details, Totals } from './outcome.ts'

/** The totals of Bun's JUnit report: the attributes of the outermost element. */
export function readCounts(xml: string): Totals | undefined {
  const [head] = /<testsuites\b[^>]*>/.exec(xml) ?? []
  if (!head) return undefined
  const count = (name: string): number => Number(attribute(head, name) ?? 0)
  const totals = { failed: count('failures'), skipped: count('skipped') }
  return { passed: count('tests') - totals.failed - totals.skipped, ...totals }
}

/** Files in the order of the report. A `describe` is a suite element too, and is left out. */
export function readDetails(xml: string): Details {
  const suites = [...xml.matchAll(/<testsuite\b[^>]*>/g)].map(([head]) => head)
  const files = suites
    .filter((head) => attribute(head, 'name') === attribute(head, 'file'))
    .map((head) => ({ file: attribute(head, 'file') ?? '', seconds: Number(attribute(head, 'time') ?? 0) }))
  return { files, failedTests: failures(xml), skippedTests: skipped(xml) }
}

const REASON_LENGTH_MAX = 200

/** The failed tests, each with its error in one line. */
const failures = (xml: string): Details['failedTests'] =>
  [...xml.matchAll(/(<testcase\b[^>]*[^/]>)\s*(<failure\b[^>]*>)/g)].map(([, head = '', failure = '']) => ({
    title: plain(attribute(head, 'name') ?? ''),
    reason: plain(attribute(failure, 'message') || (attribute(failure, 'type') ?? ''))
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, REASON_LENGTH_MAX),
  }))

const skipped = (xml: string): string[] =>
  [...xml.matchAll(/(<testcase\b[^>]*[^/]>)\s*<skipped\b/g)].map(([, head = '']) =>
    plain(attribute(head, 'name') ?? ''),
  )

const attribute = (head: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(head)?.[1]

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
  '#10': '\n',
}
const plain = (text: string): string =>
  text.replace(/&(lt|gt|quot|apos|amp|#10);/g, (all, name: string) => ENTITIES[name] ?? all)
