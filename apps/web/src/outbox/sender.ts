import { nowMs as serverNowMs } from '../api/server-clock.ts'
import { type Answer, BATCH_MAX, deliveryOf, spread, type Waiting } from './delivery.ts'
import type { TrackPoint } from './entry.ts'
import type { Outbox } from './outbox.ts'
import { type After, afterTimeout, inTurn } from './turns.ts'

const EVERY_MS = 60_000

export type SenderState = { sending: boolean; why: Waiting | null; deliveredAtMs: number | null }
type Options = {
  outbox: Pick<Outbox, 'oldest' | 'settle'>
  /** Sends points; null: no answer came back. */
  post: (points: readonly TrackPoint[]) => Promise<Answer>
  onChange: (state: SenderState) => void
  nowMs?: () => number
  random?: () => number
  after?: After
}

export type Sender = { wake: () => Promise<void>; added: () => void; stop: () => void }

/** Empties an outbox batch by batch, a minute after the last, on `wake`, or at the first `added` of a minute. */
export function createSender(options: Options): Sender {
  const { outbox, post, onChange, nowMs = serverNowMs, random = Math.random, after = afterTimeout } = options
  let state: SenderState = { sending: false, why: null, deliveredAtMs: null }
  let running: Promise<void> | undefined
  let cancel = () => {}
  let stopped = false
  let notBeforeMs = 0
  let postedMs = Number.NEGATIVE_INFINITY
  const show = (part: Partial<SenderState>) => {
    state = { ...state, ...part }
    if (!stopped) onChange(state)
  }

  /** Returns how long to wait for the next run; null: until `wake`. */
  const run = async (): Promise<number | null> => {
    let sizeMax = BATCH_MAX
    for (;;) {
      const entries = await outbox.oldest(sizeMax)
      if (stopped || entries.length === 0) return spread(EVERY_MS, random())
      show({ sending: true })
      postedMs = nowMs()
      const answer = await post(entries.map(({ point }) => point))
      const delivery = deliveryOf(answer, { sent: entries.length, random: random() })
      const refused = delivery.refused.flatMap(({ index, reason }) => {
        const entry = entries[index]
        return entry ? { ...entry, reason } : []
      })
      const delivered = delivery.delivered.flatMap((index) => entries[index] ?? [])
      if (delivered.length + refused.length > 0) await outbox.settle({ delivered, refused })
      show({ why: delivery.why, ...(delivered.length > 0 ? { deliveredAtMs: nowMs() } : {}) })
      // An hour is asked for: neither a new start nor a network that returns makes it shorter.
      if (delivery.why === 'limited') notBeforeMs = nowMs() + (delivery.againMs ?? 0)
      if (delivery.againMs !== 0) return delivery.againMs
      sizeMax = delivery.sizeMax
    }
  }

  const wake = (): Promise<void> => {
    if (stopped || nowMs() < notBeforeMs) return running ?? Promise.resolve()
    running ??= inTurn('points', run)
      .catch((error: unknown) => {
        console.warn('The outbox cannot be read; what it holds is sent later', error)
        return EVERY_MS
      })
      .then((againMs) => {
        cancel()
        if (againMs !== null && !stopped) cancel = after(againMs, () => void wake())
      })
      .finally(() => {
        running = undefined
        show({ sending: false })
      })
    return running
  }
  return {
    wake,
    added: () => {
      if (nowMs() - postedMs >= EVERY_MS) void wake()
    },
    stop: () => {
      stopped = true
      cancel()
    },
  }
}
