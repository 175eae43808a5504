import type { DeviceDelivery, DeviceOutcome, DeviceReceipt } from '@palanquin/domain/device-delivery'
import type { AppPoint } from '@palanquin/domain/phone-apps/reading'
import type { Point } from '@palanquin/domain/point'
import { UNSURE_CLOCK_MS } from '@palanquin/domain/point/judge'
import { ApiError } from '@palanquin/service/http/api-error'
import type { AccessCheck, GpsDenial } from '../../access/access-check.ts'
import type { RedisClock } from '../../clock/redis-clock.ts'
import type { DeviceReports } from '../../devices/reports.ts'
import type { DeviceTokens } from '../../devices/tokens.ts'
import type { TokenRow } from '../../devices/tokens-store.ts'
import type { SyncBuffer } from '../track-sync/buffer.ts'
import { judgeSync } from '../track-sync/judge.ts'

export type DeviceOptions = {
  tokens: Pick<DeviceTokens, 'find'>
  reports: Pick<DeviceReports, 'note'>
  buffer: Pick<SyncBuffer, 'append'>
  accessCheck: Pick<AccessCheck, 'denialOf'>
  clock: Pick<RedisClock, 'now' | 'isSure'>
}

type Counts = DeviceReceipt['counts']
type Taken = { counts: Counts; stored: readonly Point[] }

/** Shown to the owner: whatever was stored, else the first that explains why nothing was. */
const BY_WEIGHT: readonly DeviceOutcome[] = [
  'stored',
  'duplicate',
  'paused',
  'ended',
  'withdrawn',
  'future',
  'too_old',
  'invalid',
  'not_a_point',
]

/**
 * The verb behind `/in/{app}`: points judged as those of `/track/sync`, and on disk when it resolves with `taken`.
 * @throws StoreUnavailable when nothing can take them now, or the token cannot be judged
 */
export function acceptDeliveries({ tokens, reports, buffer, accessCheck, clock }: DeviceOptions) {
  const append = async ({ userId, app }: TokenRow, given: readonly unknown[]): Promise<Taken | GpsDenial> => {
    const receivedAt = clock.now()
    const { points, repeated, rejected } = judgeSync(given.map(timed(receivedAt)), {
      source: app,
      sources: [app],
      now: receivedAt,
      unsureMs: clock.isSure() ? 0 : UNSURE_CLOCK_MS,
    })
    const stored = await buffer.append({ userId, source: app, receivedAt }, points)
    if (stored instanceof ApiError) return accessCheck.denialOf(userId) ?? 'paused'
    const counts: Counts = { stored: stored.length, duplicate: repeated + points.length - stored.length }
    for (const { reason } of rejected) counts[reason] = (counts[reason] ?? 0) + 1
    return { counts, stored }
  }

  return async (delivery: DeviceDelivery): Promise<DeviceReceipt> => {
    const { notPoints, invalid, battery } = delivery
    const points = withBattery(delivery.points, battery)
    const device = await tokens.find(delivery.hash)
    if (!device || device.app !== delivery.app)
      return { state: 'unknown_token', counts: { unknown_token: 1 } }
    const taken =
      points.length === 0
        ? { counts: {}, stored: [] }
        : (accessCheck.denialOf(device.userId) ?? (await append(device, points)))
    const isDenied = typeof taken === 'string'
    const counts: Counts = isDenied ? { [taken]: points.length } : { ...taken.counts }
    if (notPoints > 0) counts.not_a_point = notPoints
    if (invalid > 0) counts.invalid = (counts.invalid ?? 0) + invalid
    const isFirst = !isDenied && !device.isWalking && taken.stored.some(isSince(device.issuedAt))
    if (isFirst) device.isWalking = true
    reports.note(
      reportOf({ delivery, device, counts, stored: isDenied ? [] : taken.stored, now: clock.now() }),
    )
    return { state: taken === 'paused' ? 'later' : 'taken', counts, ...(isFirst ? { isFirst } : {}) }
  }
}

/** What a phone had recorded before it was set up says nothing of its settings. */
const isSince =
  (issuedAt: number) =>
  ({ recordedAt }: Point): boolean =>
    recordedAt >= issuedAt

/** An app says once in a delivery how much battery is left: that is so at its last point. */
function withBattery(points: readonly unknown[], battery: number | undefined): readonly unknown[] {
  const last = points.at(-1)
  if (battery === undefined || typeof last !== 'object' || last === null) return points
  return [...points.slice(0, -1), { battery, ...last }]
}

/** A point without a time was recorded now; only apps that may leave it out get so far. */
const timed =
  (now: number) =>
  (point: unknown): unknown =>
    typeof point === 'object' && point !== null && !('recordedAt' in point)
      ? { ...point, recordedAt: now }
      : point

function reportOf({
  delivery: { battery, charging, byHand, version },
  device: { deviceId, userId },
  counts,
  stored,
  now,
}: {
  delivery: DeviceDelivery
  device: TokenRow
  counts: Counts
  stored: readonly (Point | AppPoint)[]
  now: number
}) {
  const latest = stored.reduce((at, { recordedAt = 0 }) => Math.max(at, recordedAt), 0)
  return {
    deviceId,
    userId,
    seenAt: now,
    byHand,
    stored: stored.length,
    outcome: BY_WEIGHT.find((outcome) => (counts[outcome] ?? 0) > 0) ?? 'not_a_point',
    ...(latest > 0 ? { lastPointAt: latest } : {}),
    ...(battery === undefined ? {} : { battery }),
    ...(charging === undefined ? {} : { charging }),
    ...(version === undefined ? {} : { version }),
  }
}
