/** Links by which people let their family see where they are. Web face, section 4. */
import Type, { type Static } from 'typebox'
import { BeaconPlace } from './beacon'
import { Latitude, Longitude } from './degrees'
import { Nullable } from './optional'
import { Iso } from './time'

/** The pilgrimage is nine days long. */
const SHARE_HOURS_MAX = 216
/** Readers of one link who are counted: one more sends the longest idle one away. */
export const SHARE_READERS_MAX = 20

/** Body of `POST /share`. */
export const ShareBody = Type.Object({
  hours: Type.Integer({ minimum: 1, maximum: SHARE_HOURS_MAX, description: 'how long the link lasts' }),
})

export const ShareToken = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'the secret of the link',
  examples: ['Zk3v0uQhJ5xW8yTtR2aNfg'],
})

/** A link as its owner sees it. */
export const OwnShare = Type.Object({
  token: ShareToken,
  url: Type.String({ description: 'what to send: an address where PUBLIC_BASE_URL is set, else a path' }),
  createdAt: Iso,
  expiresAt: Iso,
  readers: Type.Integer({ minimum: 0, description: 'how many look at it now' }),
})
export type OwnShare = Static<typeof OwnShare>

/** What the family sees, and nothing else. */
export const SharedPosition = Type.Object({
  position: Nullable(
    Type.Object(
      {
        lat: Latitude,
        lng: Longitude,
        accuracyM: Nullable(Type.Number({ minimum: 0 }), 'metres; null where the phone did not say'),
        recordedAt: Iso,
        place: BeaconPlace,
      },
      { description: 'the latest position' },
    ),
    'the latest position; null before the first',
  ),
  age: Nullable(Type.Integer({ minimum: 0 }), 'seconds since the position; null before the first'),
  battery: Nullable(Type.Integer({ minimum: 0, maximum: 100 }), 'percent; null where the phone did not say'),
  expiresAt: Iso,
})
export type SharedPosition = Static<typeof SharedPosition>
