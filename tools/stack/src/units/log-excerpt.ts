import { readFileSync, statSync } from 'node:fs'

/** A refused configuration lists one problem per line. */
const LINES_MAX = 12

const DAILY_LIFE = /^\{"level":"(?:info|debug|trace)"/

export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** The log of a process that failed to start, from byte `start` on, shortened for an error message. */
export function logExcerpt(logFile: string, start: number): string {
  const size = sizeOf(logFile)
  const from = size < start ? 0 : start // rotated meanwhile
  const text = size > from ? readFileSync(logFile).subarray(from).toString('utf8').trim() : ''
  const lines = text === '' ? [] : text.split('\n')
  const fault = lines.map(errorMessageOf).findLast((message) => message !== undefined)
  // Its predecessor may still write what it does into the same file.
  const said =
    fault ??
    lines
      .filter((line) => !DAILY_LIFE.test(line))
      .slice(-LINES_MAX)
      .join('\n')
  return said === '' ? `Its log ${logFile} is empty.` : `Its error: ${said}\nMore in ${logFile}`
}

/** The message of a JSON log line of level error or fatal. */
function errorMessageOf(line: string): string | undefined {
  if (!/"level":"(fatal|error)"/.test(line)) return undefined
  try {
    const { err, msg }: { err?: { message?: string }; msg?: string } = JSON.parse(line)
    return [msg, err?.message].filter(Boolean).join(': ')
  } catch {
    return undefined // truncated
  }
}
