import { BeaconPlace } from '@palanquin/domain/beacon'
import { Latitude, Longitude } from '@palanquin/domain/degrees'
import { Nullable } from '@palanquin/domain/optional'
import { Iso } from '@palanquin/domain/time'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type, { type Static } from 'typebox'

/** The map answers from memory, or reads one row. */
const DEADLINE_MS = 2_000

const LastPosition = Type.Object({
  lat: Latitude,
  lng: Longitude,
  accuracyM: Nullable(Type.Number()),
  recordedAt: Iso,
  battery: Nullable(Type.Integer()),
  place: BeaconPlace,
})
export type LastPosition = Static<typeof LastPosition>

/** Where a participant is; null before their first point. @throws StoreUnavailable */
export type ReadPosition = (userId: string, requestId: string) => Promise<LastPosition | null>

export const positionFromMap =
  (map: ServiceClient): ReadPosition =>
  async (userId, requestId) => {
    const path = `/internal/position/${userId}` as const
    const reply = await map.call({ path, requestId, deadlineMs: DEADLINE_MS, reply: LastPosition })
    return reply.ok ? reply.data : null
  }
