import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import type { Chunk, ChunkStore } from './chunks.ts'
import type { Delivered } from './failure.ts'
import type { PushStore } from './store.ts'

/** Calls of LINE at once; most of their time is the way there and back. */
const AT_ONCE_MAX = 32
/** Longer than a call, its figures and its writing down take together: 3 + 5 + 3 s. */
const LEASE_MS = 15_000
/** How often it looks for due chunks by itself. */
const IDLE_MS = 500
const STORE_PAUSE_MS = 1_000
const FINISH_EVERY_MS = 200
/** How often a process looks for pushes whose process crashed before it listed the recipients. */
const MADE_EVERY_MS = 5_000
const STOP_MS_MAX = 6_000

export type Sender = Part & {
  /** There is something to send. */
  kick: () => void
}

export type SenderOptions = {
  store: Pick<PushStore, 'finish' | 'releaseMade'>
  chunks: Pick<ChunkStore, 'claim'>
  deliver: (chunk: Chunk) => Promise<Delivered>
  log: Log
  leaseMs?: number
  idleMs?: number
}

/** Sends what is due. Copies share the work; a crashed one's is due again when its lease ends. */
export function createSender({
  store,
  chunks,
  deliver,
  log,
  leaseMs = LEASE_MS,
  idleMs = IDLE_MS,
}: SenderOptions): Sender {
  const underWay = new Set<Promise<void>>()
  let stopping = false
  let holdUntilMs = 0
  let unfinished = true
  let finishAtMs = 0
  let madeAtMs = 0
  let releasing: Promise<void> | undefined
  let kicked = false
  let wake = () => {}

  const begin = (chunk: Chunk): void => {
    const work = deliver(chunk)
      .then(({ holdMs }) => {
        holdUntilMs = Math.max(holdUntilMs, performance.now() + holdMs)
      })
      // Its lease runs out, and it is tried again.
      .catch((error: unknown) =>
        log.warn(
          { event: 'push.chunk_interrupted', err: error, push: chunk.pushId },
          'A chunk of a push was interrupted; it is retried when its lease ends',
        ),
      )
      .finally(() => {
        underWay.delete(work)
        unfinished = true
        wake()
      })
    underWay.add(work)
  }
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (kicked || stopping) return resolve()
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  /** Beside the sending: to list a wide audience takes a while. */
  const release = (): void => {
    if (releasing || performance.now() < madeAtMs) return
    madeAtMs = performance.now() + MADE_EVERY_MS
    releasing = store
      .releaseMade()
      .then((released) => {
        if (released > 0) kick()
      })
      .catch((error: unknown) =>
        log.warn(
          { event: 'push.release_postponed', reason: String(error) },
          'A push waits for its recipients',
        ),
      )
      .finally(() => {
        releasing = undefined
      })
  }
  const kick = (): void => {
    unfinished = true
    kicked = true
    wake()
  }
  const round = async (): Promise<boolean> => {
    release()
    const free = AT_ONCE_MAX - underWay.size
    // A claim for every chunk that comes free would be a statement for each.
    const worthIt = free >= AT_ONCE_MAX / 2 && performance.now() >= holdUntilMs
    const claimed = worthIt ? await chunks.claim(free, leaseMs) : []
    for (const chunk of claimed) begin(chunk)
    if (unfinished && performance.now() >= finishAtMs) {
      unfinished = false
      finishAtMs = performance.now() + FINISH_EVERY_MS
      await store.finish()
    }
    return claimed.length > 0
  }
  const loop = async (): Promise<void> => {
    let away = false
    while (!stopping) {
      try {
        kicked = false
        const found = await round()
        away = false
        if (!found) await pause(unfinished ? FINISH_EVERY_MS : idleMs)
      } catch (error) {
        if (!away)
          log.warn(
            { event: 'push.sender_interrupted', reason: String(error) },
            'Pushes wait for the database',
          )
        away = true
        unfinished = true
        kicked = false
        await pause(STORE_PAUSE_MS)
      }
    }
  }

  let looping: Promise<void> | undefined
  return {
    name: 'sender of pushes',
    start: () => {
      looping ??= loop()
    },
    kick: () => {
      madeAtMs = 0
      kick()
    },
    /** Waits a while for the calls under way; the rest comes back when its leases end. */
    stop: async () => {
      stopping = true
      wake()
      await looping
      await Promise.race([Promise.all([...underWay, releasing]), Bun.sleep(STOP_MS_MAX)])
    },
  }
}
