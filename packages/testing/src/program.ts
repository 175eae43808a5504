/**
 * The file that Bun runs for an entry of the sources, in a process of its own: the bundle that the runner of all tests has
 * made of it (TEST_PROGRAMS, a JSON object from the path of each entry to its bundle), else the entry itself. Loading the
 * modules of a service costs each start half a second of processor time, and loading its bundle a quarter of that.
 * @param entry absolute path
 */
export function programOf(entry: string): string {
  const { TEST_PROGRAMS } = process.env
  if (!TEST_PROGRAMS) return entry
  const bundles: Partial<Record<string, string>> = JSON.parse(TEST_PROGRAMS)
  return bundles[entry] ?? entry
}
