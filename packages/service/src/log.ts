import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'
import { nonBlockingOutput } from './log-output.ts'

/** Every line has a stable code for operators to search for, and a message for people. */
type Write = (fields: { event: `${string}.${string}`; [field: string]: unknown }, message: string) => void
export type Log = Record<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', Write> &
  Pick<Logger, 'isLevelEnabled'>

/** Where a secret could slip into a log line by a careless call; the value is dropped there. */
const REDACTED_PATHS = ['token', 'password', 'phone', 'body', '*.token', '*.password', '*.phone', '*.body']

/** JSON lines on standard output (readable text on a terminal), one logger a process. */
export function createLog({ service, level }: { service: string; level: string }): Log {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED_PATHS, remove: true },
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (process.stdout.isTTY)
    return pino(
      options,
      pretty({ colorize: true, ignore: 'pid,hostname,service', messageFormat: '{service}: {msg}' }),
    )
  const dropped = (lines: number) =>
    `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), service, event: 'log.lines_dropped', lines, msg: 'Log lines before this one were dropped' })}\n`
  const output = nonBlockingOutput(dropped)
  process.on('exit', output.end)
  return pino(options, output)
}
