import { DEFAULT_SOURCE_OF, LINE_SOURCE, type Point } from '@palanquin/domain/point'
import type { CheckinBody } from '@palanquin/domain/point/input'
import { instantProblem, measurement, UNSURE_CLOCK_MS } from '@palanquin/domain/point/judge'
import { parseRecordedAt, RECORDED_AT_EXPECTED, toIso } from '@palanquin/domain/time'
import type { FailPoint } from '@palanquin/service/fail-point'
import { ApiError } from '@palanquin/service/http/api-error'
import type { AccessCheck } from '../../access/access-check.ts'
import type { Newcomers } from '../../access/newcomers.ts'
import type { AcceptedCheckin } from '../../buffer/append-checkin.ts'
import { packPoint } from '../../buffer/entry.ts'
import type { RedisClock } from '../../clock/redis-clock.ts'
import type { Journal } from '../../journal/journal.ts'
import { arrivalOf } from '../arrival.ts'
import { arrivalTimes } from './arrival-time.ts'
import type { WriteBehind } from './write-behind.ts'

export type CheckinReceipt = { id: string; receivedAt: string }

export type CheckinOptions = {
  journal: Pick<Journal, 'appendAll'>
  writeBehind: Pick<WriteBehind, 'begin'>
  accessCheck: Pick<AccessCheck, 'apiErrorFor'>
  newcomers: Newcomers
  /** Whose a point is that names this id. */
  ownerOf: (userId: string) => string
  sources: readonly string[]
  failPoint: FailPoint
  clock: Pick<RedisClock, 'now' | 'isSure'>
}

/**
 * When check-ins were received (epoch ms), which may be off by `unsureMs`, the time of those that name none, and the sources that
 * they may name.
 */
export type CheckinJudging = {
  receivedAt: number
  unsureMs: number
  arrivedAt: number
  allowed: readonly string[]
}
/** `arrivedAt`: when the gateway first sent it (epoch ms). */
type Arrival = { arrivedAt?: number | undefined }

const PROBLEM_SENTENCE = {
  future: 'recordedAt: expected a time at most 5 minutes ahead',
  too_old: 'recordedAt: expected a time within the last 30 days',
} as const

export const notStored = new ApiError(
  'unavailable',
  'The check-in could not be stored; please send it again shortly.',
)

/** The verb behind `POST /checkin`: judged, written to the journal, answered; Redis and PostgreSQL follow. */
export function acceptCheckins({
  journal,
  writeBehind,
  accessCheck,
  newcomers,
  ownerOf,
  sources,
  failPoint,
  clock,
}: CheckinOptions) {
  const arrivalTimeOf = arrivalTimes()

  const judgingNow = ({ arrivedAt }: Arrival = {}, allowed = sources): CheckinJudging => {
    const receivedAt = clock.now()
    const unsureMs = clock.isSure() ? 0 : UNSURE_CLOCK_MS
    return { receivedAt, unsureMs, arrivedAt: arrivalOf(arrivedAt, receivedAt), allowed }
  }

  const judge = (
    body: CheckinBody,
    { receivedAt, unsureMs, arrivedAt, allowed }: CheckinJudging,
  ): AcceptedCheckin | ApiError => {
    const userId = ownerOf(body.userId)
    const denied = accessCheck.apiErrorFor(userId)
    if (denied) return denied
    const source = body.source ?? DEFAULT_SOURCE_OF.checkin
    if (!allowed.includes(source)) return new ApiError('invalid', `source: expected ${sources.join(', ')}`)
    const given = body.recordedAt ?? null
    const recordedAt = given === null ? arrivalTimeOf(userId, arrivedAt) : parseRecordedAt(given)
    if (recordedAt === null) return new ApiError('invalid', `recordedAt: expected ${RECORDED_AT_EXPECTED}`)
    const problem = instantProblem(recordedAt, receivedAt, unsureMs)
    if (problem) return new ApiError('invalid', PROBLEM_SENTENCE[problem])
    const battery = measurement(body.battery)
    const point: Point = {
      kind: 'checkin',
      recordedAt,
      lat: body.lat,
      lng: body.lng,
      accuracy: measurement(body.accuracy),
      speed: measurement(body.speed),
      altitude: body.altitude ?? null,
      heading: measurement(body.heading),
      source,
      ...(battery === null ? {} : { battery: Math.round(battery) }),
    }
    const packed = packPoint(point, source, body.note)
    const accepted = { id: Bun.randomUUIDv7(), userId, source, point: packed }
    return { ...accepted, receivedAt: Math.min(arrivedAt, receivedAt) }
  }

  const keep = async (checkins: readonly AcceptedCheckin[]): Promise<boolean> => {
    const first = await journal.appendAll(checkins.map((checkin) => JSON.stringify(checkin)))
    if (!first) return false
    writeBehind.begin(checkins, first)
    for (const _ of checkins) failPoint('checkin:after-journal')
    return true
  }

  const accept = async (body: CheckinBody, judging: CheckinJudging): Promise<CheckinReceipt | ApiError> => {
    const checkin = judge(body, judging)
    if (checkin instanceof ApiError) return checkin
    if (!(await keep([checkin]))) return notStored
    newcomers.isNew(checkin.userId)
    return { id: checkin.id, receivedAt: toIso(checkin.receivedAt) }
  }

  const internalSources = [...sources, LINE_SOURCE]
  return {
    /** A check-in from outside; on disk when it resolves with a receipt. */
    accept: (body: CheckinBody, arrival: Arrival = {}) => accept(body, judgingNow(arrival)),
    /** A location message of the chat, or a photo: it may have waited for long since it arrived. */
    acceptInternal: (body: CheckinBody, { arrivedAt }: Arrival = {}) => {
      const judging = judgingNow({}, internalSources)
      return accept(body, {
        ...judging,
        arrivedAt: Math.min(arrivedAt ?? judging.arrivedAt, judging.arrivedAt),
      })
    },
    judgingNow,
    judge,
    /** Resolves once all of them are on disk, or none: false. */
    keep,
  }
}

export type Checkins = ReturnType<typeof acceptCheckins>
