import { changeActivity, endActivity as mayEnd, type PauseMessage } from '@palanquin/domain/activity'
import type { Role } from '@palanquin/domain/role'
import { round3 } from '@palanquin/domain/round'
import { toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import type { FinalFlush } from './final-flush.ts'
import type { Projection } from './projection.ts'
import type { Activity, ActivityStore, Outcome } from './store.ts'

export type ActivityDependencies = {
  store: ActivityStore
  projection: Projection
  tell: () => Promise<void>
  flush: FinalFlush
  /** Unlocks every achievement that is due. */
  unlockDue: () => Promise<unknown>
  now: () => number
  /** Within this time every process knows of a change (contract section 5). */
  propagationMs: number
}

/**
 * Another administrator may come between a write that changed nothing and the look at why. Each lost try is a change of
 * somebody else, so this many administrators at once all get through (three were too few for six; seen in a test).
 */
const TRIES_MAX = 20

/** The status as the database has it. @throws StoreUnavailable */
export async function readActivity({ store }: ActivityDependencies): Promise<Activity> {
  const { status, since, by } = await store.read()
  return { status, since, by }
}

/**
 * Pauses or resumes; the same again notifies nobody, though a pause may get other words; after the end it is a conflict.
 * A message left out keeps that of a pause that stands.
 */
export async function setActivity(
  room: ActivityDependencies,
  { to, by, message }: { to: 'active' | 'paused'; by: Role; message?: PauseMessage | null | undefined },
): Promise<Activity | ApiError> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const changed = await room.store.set(to, by, to === 'paused' ? (message ?? null) : null)
    if (changed) {
      await Promise.all([room.projection.project(), room.tell()])
      return changed
    }
    const present = await readActivity(room)
    const change = changeActivity(present.status, to)
    if ('refused' in change) return new ApiError('conflict', change.refused)
    if (change.changed) continue
    if (to === 'active' || message === undefined) return present
    await room.store.reword(message, by)
    await room.projection.project()
    return present
  }
  return new ApiError('unavailable', 'Somebody else is changing the activity right now; please look again.')
}

const UNFINISHED =
  'The activity has ended and takes nothing more, but its last positions could not be stored yet. Nothing is lost; call this again.'

/**
 * Ends the activity: status, a moment until every process knows, tracking's final flush, the outcome. Each step may
 * be repeated, so a call after a crash or a lost store goes on where the last one stopped; once the outcome stands,
 * it is the answer of every further call.
 */
export async function endActivity(
  room: ActivityDependencies,
  { by, requestId }: { by: Role; requestId: string },
): Promise<Outcome | ApiError> {
  await room.store.end(by)
  return (await concludeActivity(room, requestId)) ?? new ApiError('unavailable', UNFINISHED)
}

/** What is left to do of an end that was begun; null when it cannot be done now, or the activity has not ended. */
export async function concludeActivity(
  room: ActivityDependencies,
  requestId: string,
): Promise<Outcome | null> {
  const known = await room.store.read()
  if (known.outcome) return rounded(known.outcome)
  if (mayEnd(known.status).changed) return null
  const [projected] = await Promise.all([room.projection.project(), room.tell()])
  if (!projected) return null
  await Bun.sleep(room.propagationMs)
  if (!(await room.flush(requestId))) return null
  // However many the last flush made due: the outcome's own statement then finds hardly any.
  await room.unlockDue()
  await room.store.conclude(toIso(room.now()))
  await room.tell()
  const { outcome } = await room.store.read()
  return outcome && rounded(outcome)
}

/** In the order in which a person reads it; jsonb keeps another. */
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
