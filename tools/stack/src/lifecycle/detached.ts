import { closeSync, openSync, writeSync } from 'node:fs'
import { LauncherError } from '../launcher-error.ts'
import type { ProgressEvent, ProgressSink } from '../progress.ts'
import { MAIN_FILE, PROJECT_ROOT } from '../project.ts'
import { type Home, openHome } from '../run-state/home.ts'
import { type RunFile, readRunFile } from '../run-state/run-file.ts'
import { readSettings } from '../settings/settings.ts'
import { runUntilStopped } from './run-until-stopped.ts'

/** Messages of the supervisor to the launcher that waits for it, one JSON line each. */
type Message = ProgressEvent | { type: 'ready' } | { type: 'gave-up'; sentence: string; exitCode: number }

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Starts a supervisor in its own session, shows its progress, and returns when all is ready. */
export async function upDetached(home: Home, port: number, show: ProgressSink): Promise<RunFile> {
  const output = openSync(home.logFile('supervisor'), 'a', 0o600)
  const child = Bun.spawn(
    [
      process.execPath,
      '--no-env-file',
      MAIN_FILE,
      'up',
      '--supervise',
      '--home',
      home.folder,
      '--port',
      `${port}`,
    ],
    { detached: true, cwd: '/', env: { ...process.env }, stdio: ['ignore', 'pipe', output] },
  )
  closeSync(output)
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  for (const signal of SIGNALS) process.on(signal, forward)
  try {
    for await (const message of messages(child.stdout)) {
      if (message.type === 'gave-up') throw new LauncherError(message.sentence, message.exitCode)
      if (message.type === 'ready') {
        child.unref()
        return started(home)
      }
      show(message)
    }
    throw new LauncherError(`The supervisor ended before all was up; see ${home.logFile('supervisor')}.`)
  } finally {
    for (const signal of SIGNALS) process.off(signal, forward)
  }
}

function started(home: Home): RunFile {
  const run = readRunFile(home)
  if (!run) throw new LauncherError(`${home.runFile} is gone: the stack was stopped just now.`)
  return run
}

async function* messages(stream: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield parseMessage(line)
  }
}

function parseMessage(line: string): Message {
  const value: Message = JSON.parse(line)
  return value
}

/**
 * The supervisor process: keeps the home running, and only logs once the launcher that started it is gone.
 */
export async function supervise(home: Home, port: number): Promise<number> {
  openHome(home)
  const log = (line: string) => console.error(`${new Date().toISOString()} ${line}`)
  let isConnected = true
  const send = (message: Message) => {
    if (!isConnected) return
    try {
      writeSync(1, `${JSON.stringify(message)}\n`)
    } catch (error) {
      isConnected = false
      log(`the launcher that started this is gone (${error instanceof Error ? error.message : error})`)
    }
  }
  try {
    const settingsNow = () => readSettings(PROJECT_ROOT, process.env)
    const ready = () => {
      log('ready')
      send({ type: 'ready' })
      isConnected = false
    }
    const other = await runUntilStopped({
      home,
      port,
      settings: settingsNow(),
      settingsNow,
      progress: (event) => {
        if (event.type === 'note') log(event.text)
        send(event)
      },
      log,
      ready,
    })
    if (other) send({ type: 'ready' })
    log('stopped')
    return 0
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    log(error instanceof LauncherError ? sentence : (error instanceof Error && error.stack) || sentence)
    send({ type: 'gave-up', sentence, exitCode: error instanceof LauncherError ? error.exitCode : 1 })
    return 1
  }
}
