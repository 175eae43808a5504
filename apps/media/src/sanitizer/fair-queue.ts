/** Whose task it is; undefined for what comes from LINE, which has looked at it. */
type Owned = { client: string | undefined }

/** One network's pictures are worked on one at a time, so that nobody's slow ones take all processes. */
const AT_WORK_PER_CLIENT_MAX = 1
/** And half of the places to wait are left to the others. */
const SHARE_OF_WAITING = 2

export type FairQueue<T extends Owned> = {
  /** False when there is no place for one more, or none of this client's. */
  add: (task: T) => boolean
  /** The first whose client has nothing at work; it counts as at work until `done`. */
  take: () => T | undefined
  done: (task: T) => void
  /** Puts a task that was taken back to the front. */
  again: (task: T) => void
  /** Takes one out that waits no more. */
  leave: (task: T) => void
  /** Takes all out. */
  drain: () => T[]
}

/** Tasks that wait, in the order in which they came but for those of a client that is being served. */
export function fairQueue<T extends Owned>(waitingMax: number): FairQueue<T> {
  const waiting: T[] = []
  const atWork = new Map<string, number>()
  const ofClientMax = Math.max(1, Math.floor(waitingMax / SHARE_OF_WAITING))

  const isFree = ({ client }: T): boolean =>
    client === undefined || (atWork.get(client) ?? 0) < AT_WORK_PER_CLIENT_MAX
  const count = (client: string | undefined, change: number): void => {
    if (client === undefined) return
    const now = (atWork.get(client) ?? 0) + change
    if (now > 0) atWork.set(client, now)
    else atWork.delete(client)
  }
  const hasPlace = ({ client }: T): boolean =>
    waiting.length < waitingMax &&
    (client === undefined || waiting.filter((other) => other.client === client).length < ofClientMax)
  const done = (task: T) => count(task.client, -1)

  return {
    add: (task) => {
      if (!hasPlace(task)) return false
      waiting.push(task)
      return true
    },
    take: () => {
      const at = waiting.findIndex(isFree)
      const [task] = at < 0 ? [] : waiting.splice(at, 1)
      if (task) count(task.client, 1)
      return task
    },
    done,
    again: (task) => {
      done(task)
      waiting.unshift(task)
    },
    leave: (task) => {
      const at = waiting.indexOf(task)
      if (at >= 0) waiting.splice(at, 1)
    },
    drain: () => waiting.splice(0),
  }
}
