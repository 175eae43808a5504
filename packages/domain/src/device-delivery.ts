/** What the gateway passes on of a request of a phone app, and what tracking says became of it. */
import Type, { type Static } from 'typebox'
import { UserId } from './ids'
import { PhoneApp } from './phone-apps'
import { SYNC_POINTS_MAX } from './point/input'
import { SecretHash } from './session'

/** What becomes of a point, or of a request without a known token. */
export const DEVICE_OUTCOMES = [
  'stored',
  'duplicate',
  'not_a_point',
  'invalid',
  'too_old',
  'future',
  'withdrawn',
  'ended',
  'paused',
  'unknown_token',
] as const
export type DeviceOutcome = (typeof DEVICE_OUTCOMES)[number]

const Count = Type.Integer({ minimum: 0 })

/** `points`: those of `AppPoint`; the verdict on each is tracking's. */
export const DeviceDelivery = Type.Object({
  /** SHA-256 of the write token, base64url. */
  hash: SecretHash,
  app: PhoneApp,
  points: Type.Array(Type.Unknown(), { maxItems: SYNC_POINTS_MAX }),
  notPoints: Count,
  invalid: Count,
  byHand: Type.Boolean(),
  battery: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  charging: Type.Optional(Type.Boolean()),
  /** Of the app, by its User-Agent. */
  version: Type.Optional(Type.String({ maxLength: 80 })),
})
export type DeviceDelivery = Static<typeof DeviceDelivery>

/** `isFirst`: it has the first point that the device recorded since it was issued. */
export const DeviceReceipt = Type.Object({
  state: Type.Enum(['taken', 'later', 'unknown_token']),
  counts: Type.Record(Type.String(), Count),
  isFirst: Type.Optional(Type.Boolean()),
})
export type DeviceReceipt = {
  state: 'taken' | 'later' | 'unknown_token'
  counts: Partial<Record<DeviceOutcome, number>>
  isFirst?: boolean
}

/** Whose a write token is: `userId` is null for one that is unknown. */
export const DeviceQuestion = Type.Pick(DeviceDelivery, ['hash'])
export const DeviceOwner = Type.Object({ userId: Type.Union([UserId, Type.Null()]) })
