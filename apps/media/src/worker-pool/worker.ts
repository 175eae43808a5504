/** What a thread or process sends back for a task. */
export type WorkerReply<Reply> = { reply: Reply } | { error: string }

/** `crashed`: it ended under the task; `late`: at the deadline; `error`: its reply; `unstarted`: no resources. */
export type Failure = 'crashed' | 'late' | 'error' | 'unstarted'
export type Run<Reply> = { reply: Reply } | { failure: Failure; reason: string }

/** A thread or a process that does one task at a time. After a failure it has ended. */
export type PoolWorker<Task, Reply> = {
  /** Only when the last task is done. Never rejects. */
  run: (task: Task, deadlineMs: number) => Promise<Run<Reply>>
  /** How many tasks it has done. */
  readonly runs: number
  readonly isEnded: boolean
  /** Of a process. */
  readonly pid: number | undefined
  end: () => void
}

type Events<Reply> = { onReply: (message: WorkerReply<Reply>) => void; onEnd: (reason: string) => void }
/** `send` may throw where the other side has just ended. */
type Link<Task> = { send: (task: Task) => void; end: () => void; pid?: number }

/** A worker on the other side of a link. */
function workerOn<Task, Reply>(open: (events: Events<Reply>) => Link<Task>): PoolWorker<Task, Reply> {
  let settle: ((run: Run<Reply>) => void) | undefined
  let runs = 0
  let isEnded = false

  const end = () => {
    if (isEnded) return
    isEnded = true
    link.end()
    settle?.({ failure: 'crashed', reason: 'the worker was ended' })
  }
  const fail = (failure: Failure, reason: string) => {
    settle?.({ failure, reason })
    end()
  }
  const link = open({
    onEnd: (reason) => fail('crashed', reason),
    onReply: (message) => {
      if ('error' in message) return fail('error', message.error)
      runs++
      settle?.(message)
    },
  })
  return {
    run: (task, deadlineMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => fail('late', `no reply within ${deadlineMs} ms`), deadlineMs)
        settle = (run) => {
          clearTimeout(timer)
          settle = undefined
          resolve(run)
        }
        try {
          link.send(task)
        } catch (error) {
          fail('crashed', String(error))
        }
      }),
    get runs() {
      return runs
    },
    get isEnded() {
      return isEnded
    },
    pid: link.pid,
    end,
  }
}

/** What stands in for a worker that could not be started. */
export const unstarted = <Task, Reply>(reason: string): PoolWorker<Task, Reply> => ({
  run: () => Promise.resolve({ failure: 'unstarted', reason }),
  runs: 0,
  isEnded: true,
  pid: undefined,
  end: () => {},
})

/** Starts a thread. Its libraries are loaded in it, and nowhere else. */
export const startThread = <Task, Reply>(file: URL): PoolWorker<Task, Reply> =>
  workerOn(({ onReply, onEnd }) => {
    const thread = new Worker(file)
    thread.onmessage = ({ data }: MessageEvent<WorkerReply<Reply>>) => onReply(data)
    thread.onerror = ({ message }) => onEnd(message || 'the thread crashed')
    thread.addEventListener('close', () => onEnd('the thread ended by itself'))
    return { send: (task) => thread.postMessage(task), end: () => thread.terminate() }
  })

/** Starts a process with no connection, no open file, and the given environment alone. */
export const startProcess = <Task, Reply>(
  script: string,
  env: Record<string, string>,
): PoolWorker<Task, Reply> =>
  workerOn(({ onReply, onEnd }) => {
    const child = Bun.spawn([process.execPath, script], {
      env,
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'advanced',
      ipc: onReply,
      onExit: (_, code, signal) => onEnd(`the process ended with ${signal ?? code}`),
    })
    return { send: (task) => child.send(task), end: () => child.kill('SIGKILL'), pid: child.pid }
  })
