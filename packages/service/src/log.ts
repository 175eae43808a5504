import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'
import { nonBlockingOutput, type Output } from './log-output.ts'

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
  const output = inBatches(nonBlockingOutput(dropped))
  const log = pino(options, output)
  outputs.set(log, { take: output.take, service })
  return log
}

/** Where the JSON lines of a log go. */
const outputs = new WeakMap<Log, { take: (line: string, level: number) => void; service: string }>()

type AnsweredLevel = 'debug' | 'info' | 'warn'
/** What is logged of each request; its texts are ours, ids and methods. */
export type AnsweredLine = SharedLine & { requestId: string; status: number }
/** What those of a batch have in common. */
export type SharedLine = { route: string; method: string; ms: number }

/**
 * The same log for the one line that each request gets, which nearly all lines are: its fields are known, and pino takes ten
 * times as long to find them out and look through them for secrets (6 µs, measured). Never hand it what a client sent.
 */
export function requestLog(log: Log): (level: AnsweredLevel, line: AnsweredLine) => void {
  const output = outputs.get(log)
  if (!output)
    return (level, line) => log[level]({ event: 'request.completed', ...line }, REQUEST_COMPLETED.msg)
  const partsOf = linePartsOf(output.service)
  return (level, line) => {
    if (!log.isLevelEnabled(level)) return
    const { head, middle, end } = partsOf(level, line)
    const text = head + JSON.stringify(line.requestId) + middle + line.status + end
    output.take(text, pino.levels.values[level] ?? WARN)
  }
}

/** The same of requests that were answered together: a line each, of which they share nearly all. */
export function batchLog(
  log: Log,
): (
  level: AnsweredLevel,
  shared: SharedLine,
  each: readonly Pick<AnsweredLine, 'requestId' | 'status'>[],
) => void {
  const output = outputs.get(log)
  if (!output) {
    const logOne = requestLog(log)
    return (level, shared, each) => {
      for (const one of each) logOne(level, { ...shared, ...one })
    }
  }
  const partsOf = linePartsOf(output.service)
  return (level, shared, each) => {
    if (!log.isLevelEnabled(level)) return
    const { head, middle, end } = partsOf(level, shared)
    let text = ''
    for (const { requestId, status } of each) text += head + JSON.stringify(requestId) + middle + status + end
    if (text !== '') output.take(text, pino.levels.values[level] ?? WARN)
  }
}

/** What stands in a request's line before its id, between that and its status, and behind it. */
function linePartsOf(service: string) {
  const begin = (level: AnsweredLevel) => `{"level":"${level}","time":"`
  const begins = { debug: begin('debug'), info: begin('info'), warn: begin('warn') }
  const from = `","service":${JSON.stringify(service)},"requestId":`
  const isoOf = latestIso()
  const quoted = quotedOnce()
  return (level: AnsweredLevel, { route, method, ms }: SharedLine) => ({
    head: `${begins[level]}${isoOf(Date.now())}${from}`,
    middle: `,"route":${quoted(route)},"method":${quoted(method)},"status":`,
    end: `,"ms":${ms},"event":"${REQUEST_COMPLETED.event}","msg":"${REQUEST_COMPLETED.msg}"}\n`,
  })
}

const QUOTED_MAX = 1_000
const REQUEST_COMPLETED = { event: 'request.completed', msg: 'Request completed' } as const

/** JSON of routes and methods, which are few. */
function quotedOnce(): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const json = JSON.stringify(text)
    if (known.size < QUOTED_MAX) known.set(text, json)
    return json
  }
}

/** ISO 8601 of epoch milliseconds; many lines are of the same one. */
function latestIso(): (ms: number) => string {
  let latestMs = Number.NaN
  let text = ''
  return (ms) => {
    if (ms !== latestMs) text = new Date(ms).toISOString()
    latestMs = ms
    return text
  }
}

/** Lines of `info` and below wait so long, or for so many characters, and are written together: one per request is cheap then. */
const BATCH_MS = 100
const BATCH_CHARACTERS = 16_384
const WARN = 40
/** By this symbol pino passes the level of each line to a destination (pino, "metadata support"). */
const METADATA = Symbol.for('pino.metadata')

/** Collects lines and writes them together; a warning or worse is written at once, with all that came before it. */
function inBatches(destination: Output) {
  let waiting = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = waiting
    waiting = ''
    if (text !== '') destination.write(text)
  }
  process.on('exit', () => {
    flush()
    destination.end()
  })
  const take = (line: string, level: number) => {
    waiting += line
    if (level >= WARN || waiting.length >= BATCH_CHARACTERS) flush()
    else timer ??= setTimeout(flush, BATCH_MS)
  }
  return {
    take,
    [METADATA]: true,
    lastLevel: 0,
    write(line: string) {
      take(line, this.lastLevel)
    },
  }
}
