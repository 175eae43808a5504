import { fileURLToPath } from 'node:url'
import type { Cleaned, Wanted } from './image.ts'

export type Task = { bytes: Uint8Array; wanted: Wanted }
/** `processorMs`: what it cost, of all threads. */
export type Reply = { cleaned: Cleaned; rssBytes: number; processorMs: number }

/** What became of a task: `crashed` when its process ended under it, `late` when it was ended for being slow. */
export type Outcome = Reply | 'crashed' | 'late'

/** A process of its own that cleans one picture at a time. */
export type Worker = {
  /** Only when the last task is done. Never rejects. */
  work: (task: Task, deadlineMs: number) => Promise<Outcome>
  /** How many tasks it did. */
  readonly done: number
  readonly pid: number
  end: () => void
}

const PROCESS = fileURLToPath(new URL('./process.ts', import.meta.url))
/** glibc keeps a heap for each of libvips's threads, and seldom gives any back. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

/** Starts a process; `onEnd` is told its exit once it is gone, by whoever's doing. */
export function startWorker(
  script: string | undefined,
  onEnd: (how: { code: number | null; signal: NodeJS.Signals | null }) => void,
): Worker {
  let settle: ((outcome: Outcome) => void) | undefined
  let done = 0
  const child = Bun.spawn([process.execPath, script ?? PROCESS], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (reply: Reply) => {
      done++
      settle?.(reply)
    },
    onExit: (_, code, signal) => {
      settle?.('crashed')
      onEnd({ code, signal: typeof signal === 'string' ? signal : null })
    },
  })
  const end = () => child.kill('SIGKILL')

  return {
    work: (task, deadlineMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          settle?.('late')
          end()
        }, deadlineMs)
        settle = (outcome) => {
          clearTimeout(timer)
          settle = undefined
          resolve(outcome)
        }
        try {
          child.send(task)
        } catch {
          settle('crashed') // it has just ended
        }
      }),
    get done() {
      return done
    },
    pid: child.pid,
    end,
  }
}
