const COLOURS: Record<string, number> = { fatal: 31, error: 31, warn: 33, info: 32, debug: 36, trace: 90 }
/** Shown at the start of the line already, or of no use to a reader. */
const KNOWN = new Set(['level', 'time', 'service', 'msg', 'err'])

/** A service's JSON log line formatted for a terminal; any other line unchanged. */
export function readable(line: string): string {
  const facts = factsOf(line)
  if (!facts) return line
  const { level = '', time = '', msg = '', err } = facts
  const rest = Object.entries(facts)
    .filter(([name]) => !KNOWN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
  const problem = typeof err === 'object' && err !== null && 'message' in err ? [`(${err.message})`] : []
  const colour = COLOURS[String(level)] ?? 0
  const clock = String(time).slice(11, 23)
  return `${clock} \x1b[${colour}m${String(level).padEnd(5)}\x1b[0m ${[msg, ...problem, ...rest].join(' ')}`
}

function factsOf(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{"level"')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined // cut off by a kill
  }
}
