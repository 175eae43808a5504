import { readFileSync, statSync } from 'node:fs'

/** A refused configuration names each of its problems on a line. */
const LINES_MAX = 12

export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** What a process that does not start said of it, from `start` (a byte of its log) on, for a person. */
export function logExcerpt(logFile: string, start: number): string {
  const text = sizeOf(logFile) > start ? readFileSync(logFile).subarray(start).toString('utf8').trim() : ''
  const lines = text === '' ? [] : text.split('\n')
  const fault = lines.map(errorMessageOf).findLast((message) => message !== undefined)
  const said = fault ?? lines.slice(-LINES_MAX).join('\n')
  return said === '' ? `Its log ${logFile} says nothing.` : `It says: ${said}\nMore in ${logFile}`
}

/** The message of a JSON log line that tells of an error. */
function errorMessageOf(line: string): string | undefined {
  if (!/"level":"(fatal|error)"/.test(line)) return undefined
  try {
    const { err, msg }: { err?: { message?: string }; msg?: string } = JSON.parse(line)
    return [msg, err?.message].filter(Boolean).join(': ')
  } catch {
    return undefined // cut off in the middle
  }
}
