import { createHash } from 'node:crypto'
import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'
import { logOutput } from './log-output.ts'

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
  const dropped = (lines: number) =>
    `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), service, lines, msg: 'the log had no room for lines before this one' })}\n`
  return pino(options, inBatches(logOutput(dropped)))
}

/**
 * The same log for the one line that each request gets: its fields are all our own, and looking through them for
 * secrets would cost more than the line itself (8 µs of 11, measured). Never hand it what a client sent.
 */
export const requestLog = (log: Log): Log => log.child({}, { redact: [] })

/** Lines of `info` and below wait so long, or for so many characters, and are written together: one per request is cheap then. */
const BATCH_MS = 100
const BATCH_CHARACTERS = 16_384
const WARN = 40
/** By this symbol pino tells a destination the level of each line (pino, "metadata support"). */
const METADATA = Symbol.for('pino.metadata')

/** Collects lines and writes them together; a warning or worse is written at once, with all that came before it. */
function inBatches(destination: { write: (text: string) => unknown }) {
  let waiting = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = waiting
    waiting = ''
    if (text !== '') destination.write(text)
  }
  process.on('exit', flush)
  return {
    [METADATA]: true,
    lastLevel: 0,
    write(line: string) {
      waiting += line
      if (this.lastLevel >= WARN || waiting.length >= BATCH_CHARACTERS) flush()
      else timer ??= setTimeout(flush, BATCH_MS)
    },
  }
}

/** A short stable stand-in for a user id in logs: 12 hex digits of SHA-256. Never log the id itself. */
export const hashUser = (userId: string): string =>
  createHash('sha256').update(userId).digest('hex').slice(0, 12)
