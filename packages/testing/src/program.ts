/** The file that Bun runs for an entry of the sources, in a process of its own. */
export function programOf(entry: string): string {
  const { TEST_PROGRAMS } = process.env
  if (!TEST_PROGRAMS) return entry
  const bundles: Partial<Record<string, string>> = JSON.parse(TEST_PROGRAMS)
  return bundles[entry] ?? entry
}
