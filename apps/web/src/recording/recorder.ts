import { nowMs } from '../api/server-clock.ts'
import { keepDraft, RECORDING, readDraft } from '../drafts.ts'
import type { TrackPoint } from '../outbox/entry.ts'
import { ACCURACY_M_MAX, type Sampling, sample } from '../outbox/sampling.ts'
import { withStore } from '../store.ts'
import { type BatteryReading, batteryPercent, percentPerHour } from './battery.ts'
import { noteFix, pointOf } from './fix.ts'
import { type Interruption, resume } from './interruption.ts'
import { followPosition } from './presence.ts'

type Kept = { userId: string; sinceMs: number; aliveMs: number }
export type RecorderState = {
  sinceMs: number | null
  lastPointMs: number | null
  /** `denied`: no position is given; `weak`: it is too rough. */
  problem: 'denied' | 'weak' | null
  accuracyM: number | null
  /** What an hour of recording has cost so far, in percent; null while it is too early to say. */
  batteryPerHour: number | null
  /** False where a page cannot keep the screen on. */
  screenStaysOn: boolean
}
export const IDLE: RecorderState = {
  sinceMs: null,
  lastPointMs: null,
  problem: null,
  accuracyM: null,
  batteryPerHour: null,
  screenStaysOn: true,
}
type Options = {
  userId: string
  add: (point: TrackPoint) => Promise<void>
  onChange: (state: RecorderState) => void
  onInterrupted: (interruption: Interruption) => void
}

/** Records the way of one person while the page is in front. */
export function createRecorder({ userId, add, onChange, onInterrupted }: Options) {
  let state = IDLE
  let sampling: Sampling = null
  let firstBattery: BatteryReading | null = null
  let leave: (() => void) | null = null
  const show = (part: Partial<RecorderState>) => {
    state = { ...state, ...part }
    onChange(state)
  }
  const noteAlive = async () => {
    if (state.sinceMs !== null)
      await keepDraft(RECORDING, { userId, sinceMs: state.sinceMs, aliveMs: nowMs() })
  }

  const take = async (position: GeolocationPosition) => {
    const point = pointOf(position)
    noteFix(point)
    const { keep, after } = sample(sampling, point)
    show({ accuracyM: point.accuracy, problem: point.accuracy > ACCURACY_M_MAX ? 'weak' : null })
    sampling = after
    if (!keep) return
    const battery = await batteryPercent()
    const reading = battery === null ? null : { percent: battery, atMs: nowMs() }
    firstBattery ??= reading
    await add({ ...point, ...(battery === null ? {} : { battery }) })
    show({ lastPointMs: point.recordedAt, batteryPerHour: percentPerHour(firstBattery, reading) })
  }

  const watch = () =>
    followPosition({
      onPosition: (position) => void take(position),
      onDenied: () => show({ problem: 'denied' }),
      onScreen: (screenStaysOn) => show({ screenStaysOn }),
      onAlive: () => void noteAlive(),
      onReturn: async () => {
        const before = await readDraft<Kept>(RECORDING)
        const toMs = nowMs()
        if (before?.userId === userId && resume({ aliveMs: before.aliveMs, nowMs: toMs }) !== 'on')
          await interrupted(before.aliveMs, toMs)
        await noteAlive()
      },
    })
  const interrupted = async (fromMs: number, toMs: number) => {
    const interruption: Interruption = { userId, fromMs, toMs }
    onInterrupted(interruption)
    await withStore((db) => db.add('interruptions', interruption)).catch((error: unknown) =>
      console.warn('An interruption cannot be kept on this phone', error),
    )
  }
  const begin = async (sinceMs: number) => {
    if (leave !== null) return
    show({ ...IDLE, sinceMs })
    await noteAlive()
    leave = watch()
  }

  return {
    start: async () => {
      // Without it a phone that is short of space empties the outbox.
      void navigator.storage?.persist?.()
      sampling = null
      firstBattery = null
      await begin(nowMs())
    },
    /** Takes up a recording that the page was closed in. */
    resume: async () => {
      const kept = await readDraft<Kept>(RECORDING)
      if (kept?.userId !== userId) return
      const toMs = nowMs()
      const how = resume({ aliveMs: kept.aliveMs, nowMs: toMs })
      if (how === 'over') return keepDraft(RECORDING, undefined)
      if (how === 'interrupted') await interrupted(kept.aliveMs, toMs)
      await begin(kept.sinceMs)
    },
    stop: async () => {
      leave?.()
      leave = null
      show(IDLE)
      await keepDraft(RECORDING, undefined)
    },
    /** The page goes away; the recording goes on when it is back. */
    dispose: () => {
      leave?.()
      leave = null
    },
  }
}
