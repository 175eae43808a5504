import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RecordedFix } from '@palanquin/recordings/fix'
import type { Format } from '@palanquin/recordings/recording'
import type { UnreadableCode } from '@palanquin/recordings/unreadable'
import type { Subprocess } from 'bun'

/** Phone apps, section 5. The kernel ends the process that takes more. */
const PROCESSOR_S_MAX = 10
/** A line of a million points in one piece of GeoJSON takes 660 MB (measured). */
const RSS_BYTES_MAX = 800_000_000
const WATCH_EVERY_MS = 50
/** For ten seconds of processor time on a machine that is ten times too busy. */
const HEAD_WITHIN_MS = 120_000
const PAGE_BYTES = 4_096
const SCRIPT = fileURLToPath(new URL('./process.ts', import.meta.url))
/** `ulimit -t` counts seconds of processor time; the shell becomes the process. */
const LIMITED = ['/bin/sh', '-c', 'ulimit -t "$0" && exec "$@"']

const TOO_LONG: ReadFailure = {
  code: 'too_large',
  sentence: `This file takes more than ${PROCESSOR_S_MAX} seconds of computing. Please send it in parts.`,
}
const TOO_LARGE: ReadFailure = {
  code: 'too_large',
  sentence: 'This file takes too much memory to be read. Please send it in parts.',
}
const BROKEN: ReadFailure = {
  code: 'damaged',
  sentence: 'This file cannot be read: it broke the program that reads it.',
}

export type Head = {
  format: Format
  /** With a time and a place. */
  points: number
  withoutTime: number
  withoutPlace: number
  incomplete: boolean
  from: string | null
  to: string | null
}
/** Why a file cannot be read: a stable code, and a sentence. */
export type ReadFailure = { code: UnreadableCode; sentence: string }
/** What the process writes: a head and points, or why it cannot read the file. */
export type Line = { head: Head } | { fixes: RecordedFix[] } | { refused: ReadFailure }

export type FileReading = {
  /** The head, then the points; or the error alone. What is not asked for waits in the process. */
  lines: AsyncGenerator<Line>
  /** Ends the process. @returns the milliseconds of processor time that it took */
  end: () => Promise<number>
}

type Options = { script?: string; processorS?: number; rssBytesMax?: number; headWithinMs?: number }

/** Reads a file in a process of its own: one that hangs, grows or breaks affects nothing else. */
export function readInProcess(
  bytes: Uint8Array<ArrayBuffer>,
  {
    script = SCRIPT,
    processorS = PROCESSOR_S_MAX,
    rssBytesMax = RSS_BYTES_MAX,
    headWithinMs = HEAD_WITHIN_MS,
  }: Options = {},
): FileReading {
  const child = Bun.spawn([...LIMITED, String(processorS), process.execPath, script], {
    env: {},
    stdin: bytes,
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let reason: ReadFailure | undefined
  const kill = (why?: ReadFailure) => {
    reason ??= why
    child.kill('SIGKILL')
  }
  const watch = setInterval(() => {
    if (residentBytes(child.pid) > rssBytesMax) kill(TOO_LARGE)
  }, WATCH_EVERY_MS)
  const late = setTimeout(() => kill(TOO_LONG), headWithinMs)
  void child.exited.finally(() => {
    clearInterval(watch)
    clearTimeout(late)
  })

  async function* lines(): AsyncGenerator<Line> {
    for await (const text of linesOf(child.stdout)) {
      clearTimeout(late)
      const line: Line = JSON.parse(text)
      yield line
    }
    const code = await child.exited
    if (code === 0) return
    yield { refused: reason ?? (isOutOfTime(child.signalCode) ? TOO_LONG : BROKEN) }
  }
  const end = async (): Promise<number> => {
    kill()
    await child.exited
    return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000
  }
  return { lines: lines(), end }
}

/** The kernel's signals at the soft and the hard limit of processor time. */
const isOutOfTime = (signal: Subprocess['signalCode']): boolean =>
  signal === 'SIGXCPU' || signal === 'SIGKILL'

/** Memory of a process; 0 where the system does not say, or it has ended. */
function residentBytes(pid: number): number {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return Number(pages) * PAGE_BYTES
  } catch {
    return 0 // it has just ended, or this is no Linux
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    rest += first
    for (const next of others) {
      yield rest
      rest = next
    }
  }
}
