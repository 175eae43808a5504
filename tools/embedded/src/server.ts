import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { readIfThere, writeAtomically } from './file.ts'
import { becomesFree, keepPort } from './port.ts'
import { adopt, isAlive, type Launch, type ProcessRecord, spawnServer, stop } from './process.ts'

const POLL_MS = 10
const RETRY_PAUSE_MS = 250
const RETRY_MS_MAX = 30_000 // for the last children of a killed server to end
const ADOPT_TIMEOUT_MS = 15_000
const START_TIMEOUT_MS = 120_000 // recovery after a crash replays a log: seconds, on a slow disk many
const LOG_BYTES_MAX = 16 * 1024 * 1024 // rotated once: the log and the one before it

export type ServerSpec = {
  /** Shown to users: `PostgreSQL`. */
  name: string
  pidFile: string
  logFile: string
  /** Words of its command line that no other process has; see ProcessRecord. */
  marker: string
  /** A fixed port; by default the one of the last start if that is free, else any free one. */
  port?: number | undefined
  launch(port: number): Launch & { config?: { file: string; text: string } }
  /** Whether this process serves on the port; throws when it never will (a wrong password). */
  probe(port: number, pid: number): Promise<boolean>
  /** Called before each spawn. */
  prepare?(): void
  /** Log messages after which another try is worthwhile. */
  passing?: RegExp
  /** Gets the log of a failed start; returns whether a repair makes another try worthwhile. */
  repair?(said: string): boolean
  stopSignal: NodeJS.Signals
  stopGraceMs: number
  signal?: AbortSignal | undefined
}
type Outcome = 'ready' | 'exited' | 'timeout'
export type RunningServer = { pid: number; port: number; adopted: boolean; stop(): Promise<void> }

/** Starts a server, or adopts the one that a killed launcher left. */
export async function startServer(spec: ServerSpec): Promise<RunningServer> {
  const orphan = adopt(spec.pidFile, spec.marker)
  if (orphan) {
    const same =
      orphan.port === (spec.port ?? orphan.port) && orphan.fingerprint === fingerprint(spec, orphan.port)
    if (same && (await outcomeOf(spec, orphan, ADOPT_TIMEOUT_MS)) === 'ready')
      return running(spec, orphan, true)
    await end(spec, orphan)
  }
  const lastTryMs = performance.now() + RETRY_MS_MAX
  for (;;) {
    const outcome = await attempt(spec)
    if ('pid' in outcome) return running(spec, outcome, false)
    if (!outcome.passing || performance.now() > lastTryMs)
      throw new Error(`${spec.name} does not start. ${outcome.logExcerpt}`)
    await Bun.sleep(RETRY_PAUSE_MS)
  }
}

/** Ends the server of the pid file, if it still runs; returns whether it did. */
export async function stopServer(
  spec: Pick<ServerSpec, 'pidFile' | 'marker' | 'stopSignal' | 'stopGraceMs'>,
): Promise<boolean> {
  const found = adopt(spec.pidFile, spec.marker)
  if (found) await end(spec, found)
  return found !== undefined
}

async function attempt(spec: ServerSpec): Promise<ProcessRecord | { passing: boolean; logExcerpt: string }> {
  spec.signal?.throwIfAborted()
  spec.prepare?.()
  const port = await choosePort(spec)
  const { config, ...launch } = spec.launch(port)
  if (config) writeAtomically(config.file, config.text)
  rotate(spec.logFile)
  const logStart = size(spec.logFile)
  const record = spawnServer({ ...launch, ...spec, port, fingerprint: fingerprint(spec, port) })
  const outcome = await outcomeOf(spec, record, START_TIMEOUT_MS)
  if (outcome === 'ready') return record
  await end(spec, record)
  const log = logSince(spec.logFile, logStart)
  const passing = () =>
    /address already in use|EADDRINUSE/i.test(log) ||
    (spec.passing?.test(log) ?? false) ||
    (spec.repair?.(log) ?? false)
  return { passing: outcome === 'exited' && passing(), logExcerpt: logExcerpt(spec.logFile, log) }
}

async function choosePort({ name, port, pidFile }: ServerSpec): Promise<number> {
  if (port === undefined) return await keepPort(pidFile.replace(/(\.pid)?$/, '.port'))
  if (await becomesFree(port)) return port
  throw new Error(`${name} cannot have port ${port}: end the program that listens there, or choose another.`)
}

/** Waits until it serves; when waiting fails (a wrong password, an abort) nothing is left running. */
async function outcomeOf(spec: ServerSpec, record: ProcessRecord, timeoutMs: number): Promise<Outcome> {
  try {
    return await wait(spec, record, timeoutMs)
  } catch (error) {
    await end(spec, record)
    throw error
  }
}

async function wait(spec: ServerSpec, record: ProcessRecord, timeoutMs: number): Promise<Outcome> {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    spec.signal?.throwIfAborted()
    if (!isAlive(record)) return 'exited'
    if (await spec.probe(record.port, record.pid)) return isAlive(record) ? 'ready' : 'exited'
    await Bun.sleep(POLL_MS)
  }
  return 'timeout'
}

function running(spec: ServerSpec, record: ProcessRecord, adopted: boolean): RunningServer {
  return { pid: record.pid, port: record.port, adopted, stop: () => end(spec, record) }
}

/** Ends the server and removes its pid file, unless that names a later process by now. */
async function end(
  spec: Pick<ServerSpec, 'pidFile' | 'stopSignal' | 'stopGraceMs'>,
  record: ProcessRecord,
): Promise<void> {
  await stop(record, { signal: spec.stopSignal, graceMs: spec.stopGraceMs })
  if (readIfThere(spec.pidFile)?.includes(record.startedAt)) rmSync(spec.pidFile, { force: true })
}

function fingerprint(spec: ServerSpec, port: number): string {
  return createHash('sha256')
    .update(JSON.stringify(spec.launch(port)))
    .digest('hex')
}

function logExcerpt(logFile: string, log: string): string {
  const lines = log.trim().split('\n')
  const problem = lines.findLast((line) => /fatal|error|panic|can't|cannot/i.test(line)) ?? lines.at(-1)
  return problem ? `Its error (${logFile}): ${problem.trim()}` : `Its log ${logFile} is empty.`
}

function logSince(logFile: string, offset: number): string {
  const bytes = Buffer.alloc(Math.max(0, size(logFile) - offset))
  const log = openSync(logFile, 'r')
  try {
    return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, offset))
  } finally {
    closeSync(log)
  }
}

function rotate(logFile: string): void {
  if (size(logFile) > LOG_BYTES_MAX) renameSync(logFile, `${logFile}.1`)
}

function size(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
