import { createHash } from 'node:crypto'
import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'

export type Log = Logger

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
  return pino(options)
}

/** A short stable stand-in for a user id in logs: 12 hex digits of SHA-256. Never log the id itself. */
export const hashUser = (userId: string): string =>
  createHash('sha256').update(userId).digest('hex').slice(0, 12)
