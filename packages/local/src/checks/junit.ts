import type { Totals } from './outcome.ts'

/** The counts of a JUnit report as Bun writes it: the attributes of the outermost element. */
export function readCounts(xml: string): Totals | undefined {
  const [head] = /<testsuites\b[^>]*>/.exec(xml) ?? []
  if (!head) return undefined
  const count = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0)
  const [failed, skipped] = [count('failures'), count('skipped')]
  return { passed: count('tests') - failed - skipped, failed, skipped }
}
