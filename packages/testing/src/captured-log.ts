import pino, { type Logger } from 'pino'

export type LogLine = Record<string, unknown> & { level: string; msg?: string }

/** A log that keeps its lines, down to `debug`, for a test to look at. */
export function capturedLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = []
  const log = pino(
    { level: 'debug', base: null, formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  return { log, lines }
}
