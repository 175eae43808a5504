import { nowMs as serverNowMs } from '../api/server-clock.ts'
import { nextCheckin, type SavedCheckin, type StoredCheckin } from './checkin.ts'
import { inServerTime } from './checkin-time.ts'
import { type Answer, deliveryOf, spread, type Waiting } from './delivery.ts'
import { type After, afterTimeout, inTurn } from './turns.ts'

const EVERY_MS = 60_000

type Options = {
  /** All check-ins of the person on this phone. */
  all: () => Promise<StoredCheckin[]>
  save: (checkin: StoredCheckin) => Promise<void>
  post: (checkin: SavedCheckin) => Promise<Answer>
  onChange: (why: Waiting | null) => void
  nowMs?: () => number
  random?: () => number
  after?: After
}

/** What an answer makes of a check-in; null: it waits on. */
function verdictOf(answer: Answer, { photo }: SavedCheckin): Pick<SavedCheckin, 'state' | 'reason'> | null {
  const status = answer?.status
  // A photo and its check-in are one act, which is answered 201.
  if (status === (photo === undefined ? 202 : 201)) return { state: 'received' }
  if (photo !== undefined && status === 413) return { state: 'refused', reason: 'photo-too-large' }
  if (status === 400) return { state: 'refused', reason: photo === undefined ? 'invalid' : 'photo' }
  return null
}

/** Sends the check-ins that wait, each with the time it was made, one after the other. */
export function createCheckinSender(options: Options): { wake: () => Promise<void>; stop: () => void } {
  const {
    all,
    save,
    post,
    onChange,
    nowMs = serverNowMs,
    random = Math.random,
    after = afterTimeout,
  } = options
  let running: Promise<void> | undefined
  let cancel = () => {}
  let stopped = false

  /** Returns how long to wait for the next run; null: until `wake`. */
  const run = async (): Promise<number | null> => {
    for (;;) {
      const next = nextCheckin(await all(), nowMs())
      if (stopped || next === null) return null
      if ('waitMs' in next) return next.waitMs
      const made = await inServerTime(next.send)
      if (made === null) {
        onChange('offline')
        return spread(EVERY_MS, random())
      }
      // The time of sending is known before the answer: without one it may have arrived all the same.
      const sent = { ...made, sentAtMs: nowMs() }
      await save(sent)
      const answer = await post(sent)
      const verdict = verdictOf(answer, sent)
      if (verdict === null) {
        const { againMs, why } = deliveryOf(answer?.status === 200 ? null : answer, {
          sent: 1,
          random: random(),
        })
        onChange(why)
        return againMs
      }
      const { photo: _, ...kept } = sent
      await save({ ...kept, ...verdict })
      onChange(null)
    }
  }
  const wake = (): Promise<void> => {
    if (stopped) return Promise.resolve()
    running ??= inTurn('checkins', run)
      .catch((error: unknown) => {
        console.warn('Check-ins cannot be read; what is kept is sent later', error)
        return spread(EVERY_MS, random())
      })
      .then((againMs) => {
        cancel()
        if (againMs !== null && !stopped) cancel = after(againMs, () => void wake())
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
  return {
    wake,
    stop: () => {
      stopped = true
      cancel()
    },
  }
}
