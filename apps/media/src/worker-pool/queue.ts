/** `low`: no request waits for the result. */
const PRIORITIES = ['normal', 'low'] as const
export type Priority = (typeof PRIORITIES)[number]

/** What a job is queued by; without a client (LINE's photos, cards) it has no limit of its own. */
export type Queued = { priority: Priority; client: string | undefined }

/** One network's jobs run one at a time, so that its slow ones do not take all workers. */
const RUNNING_PER_CLIENT_MAX = 1
/** And half of the queue is left to the other clients. */
const SHARE_OF_WAITING = 2

type FairQueue<T extends Queued> = {
  /** False when the queue is full, or this client's share of it. */
  add: (job: T) => boolean
  /** The first of the highest priority whose client has nothing running, which it then has until `done`. */
  take: () => T | undefined
  done: (job: T) => void
  /** Puts a job that was taken back to the front of its priority. */
  again: (job: T) => void
  remove: (job: T) => void
  drain: () => T[]
  waiting: (priority: Priority) => number
}

/** Jobs that wait for a worker, `waitingMax` of each priority. */
export function fairQueue<T extends Queued>(waitingMax: number): FairQueue<T> {
  const lines: Record<Priority, T[]> = { normal: [], low: [] }
  const running = new Map<string, number>()
  const ofClientMax = Math.max(1, Math.floor(waitingMax / SHARE_OF_WAITING))

  const isFree = ({ client }: T): boolean =>
    client === undefined || (running.get(client) ?? 0) < RUNNING_PER_CLIENT_MAX
  const count = ({ client }: T, change: number): void => {
    if (client === undefined) return
    const now = (running.get(client) ?? 0) + change
    if (now > 0) running.set(client, now)
    else running.delete(client)
  }
  const hasPlace = ({ priority, client }: T): boolean => {
    const line = lines[priority]
    if (line.length >= waitingMax) return false
    return client === undefined || line.filter((other) => other.client === client).length < ofClientMax
  }
  const done = (job: T) => count(job, -1)

  return {
    add: (job) => {
      if (!hasPlace(job)) return false
      lines[job.priority].push(job)
      return true
    },
    take: () => {
      for (const priority of PRIORITIES) {
        const at = lines[priority].findIndex(isFree)
        const [job] = at < 0 ? [] : lines[priority].splice(at, 1)
        if (!job) continue
        count(job, 1)
        return job
      }
      return undefined
    },
    done,
    again: (job) => {
      done(job)
      lines[job.priority].unshift(job)
    },
    remove: (job) => {
      const at = lines[job.priority].indexOf(job)
      if (at >= 0) lines[job.priority].splice(at, 1)
    },
    drain: () => PRIORITIES.flatMap((priority) => lines[priority].splice(0)),
    waiting: (priority) => lines[priority].length,
  }
}
