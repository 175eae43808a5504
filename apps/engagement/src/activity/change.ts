import { changeActivity, endActivity as mayEnd, type PauseMessage } from '@palanquin/domain/activity'
import { round3 } from '@palanquin/domain/round'
import { toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import type { FinalFlush } from './final-flush.ts'
import type { Projection } from './projection.ts'
import type { Activity, ActivityStore, Outcome } from './store.ts'

export type ActivityDependencies = {
  store: ActivityStore
  projection: Projection
  publishOutbox: () => Promise<void>
  flush: FinalFlush
  /** Unlocks every achievement that is due. */
  unlockDue: () => Promise<unknown>
  now: () => number
  /** Time within which every process follows a change (contract section 5). */
  propagationMs: number
}

/** Each lost attempt is another administrator's change: three were too few for six at once. */
const TRIES_MAX = 20

/** Reads the status from the database. @throws StoreUnavailable */
export async function readActivity({ store }: ActivityDependencies): Promise<Activity> {
  const { status, since, by } = await store.read()
  return { status, since, by }
}

/** Pauses or resumes; a repeated status may change the message. An ended activity is a conflict. */
export async function setActivity(
  dependencies: ActivityDependencies,
  { to, by, message }: { to: 'active' | 'paused'; by: string; message?: PauseMessage | null | undefined },
): Promise<Activity | ApiError> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const changed = await dependencies.store.set(to, by, to === 'paused' ? (message ?? null) : null)
    if (changed) {
      await Promise.all([dependencies.projection.project(), dependencies.publishOutbox()])
      return changed
    }
    const present = await readActivity(dependencies)
    const change = changeActivity(present.status, to)
    if ('refused' in change) return new ApiError('conflict', change.refused)
    if (change.changed) continue
    if (to === 'active' || message === undefined) return present
    await dependencies.store.reword(message, by)
    await dependencies.projection.project()
    return present
  }
  return new ApiError(
    'unavailable',
    'Somebody else is changing the activity right now; please try again shortly.',
  )
}

const UNFINISHED =
  'The activity has ended and takes nothing more, but its last positions could not be stored yet. Nothing is lost; call this again.'

/** Ends the activity step by step, each idempotent, so that a call after a crash goes on. */
export async function endActivity(
  dependencies: ActivityDependencies,
  { by, requestId }: { by: string; requestId: string },
): Promise<Outcome | ApiError> {
  await dependencies.store.end(by)
  return (await concludeActivity(dependencies, requestId)) ?? new ApiError('unavailable', UNFINISHED)
}

/** Finishes an end that was begun; null when that is not possible now, or there is none. */
export async function concludeActivity(
  dependencies: ActivityDependencies,
  requestId: string,
): Promise<Outcome | null> {
  const known = await dependencies.store.read()
  if (known.outcome) return rounded(known.outcome)
  if (mayEnd(known.status).changed) return null
  const [projected] = await Promise.all([dependencies.projection.project(), dependencies.publishOutbox()])
  if (!projected) return null
  await Bun.sleep(dependencies.propagationMs)
  if (!(await dependencies.flush(requestId))) return null
  // Unlocking in batches here leaves hardly any for the outcome's own statement.
  await dependencies.unlockDue()
  await dependencies.store.conclude(toIso(dependencies.now()))
  await dependencies.publishOutbox()
  const { outcome } = await dependencies.store.read()
  return outcome && rounded(outcome)
}

/** Restores the order of fields, which jsonb does not keep. */
const rounded = (outcome: Outcome): Outcome => ({
  endedAt: outcome.endedAt,
  by: outcome.by,
  participants: outcome.participants,
  checkins: outcome.checkins,
  points: outcome.points,
  distanceKm: round3(outcome.distanceKm),
  walkedKm: round3(outcome.walkedKm),
  motorizedKm: round3(outcome.motorizedKm),
  unlocked: outcome.unlocked,
  flushedAt: outcome.flushedAt,
})
