/** One GPS point: which kinds and sources there are. Contract section 3. */

/** Specification 4.6: check-ins of one participant within this time are duplicates. */
export const DUPLICATE_WINDOW_MS = 60_000

/** The default of `VALID_SOURCES`: the clients in the field, then the usual tracker apps. */
export const DEFAULT_SOURCES = [
  'auto',
  'manual',
  'photo',
  'checkin',
  'remote',
  'saved',
  'liff',
  'web',
  'ios',
  'android',
  'owntracks',
  'overland',
  'traccar',
  'gpslogger',
  'osmand',
  'opengts',
  'colota',
  'ulogger',
  'phonetrack',
] as const

/** The source of a LINE location message, which is a check-in on the internal path only (contract section 6). */
export const LINE_SOURCE = 'line'

/** The source of points that came in a file (phone apps, section 5). */
export const IMPORT_SOURCE = 'import'

export const POINT_KINDS = ['checkin', 'track'] as const
export type PointKind = (typeof POINT_KINDS)[number]

/** The source of a point or sync without one (contract section 3). */
export const DEFAULT_SOURCE_OF = { checkin: 'checkin', track: 'auto' } as const satisfies Record<
  PointKind,
  string
>

/** An accepted point; what it left out is null. */
export type Point = {
  readonly kind: PointKind
  /** Epoch milliseconds. */
  readonly recordedAt: number
  readonly lat: number
  readonly lng: number
  /** Metres. */
  readonly accuracy: number | null
  /** km/h. */
  readonly speed: number | null
  /** Metres. */
  readonly altitude: number | null
  /** Degrees from north. */
  readonly heading: number | null
  readonly source: string
  /** Percent of the phone's battery; left out where it is unknown. */
  readonly battery?: number
}
