import { isRecord } from '@palanquin/domain/is-record'
import type { Point } from '@palanquin/domain/point'
import type { FeatureCollection } from 'geojson'
import { apiBase } from '../api/base.ts'
import { fetchInTime } from '../api/fetch-in-time.ts'
import { request } from '../api/send.ts'
import type { PlaceFeature } from '../api/types.ts'
import { assetPath } from '../map/assets.ts'

export type OwnPhoto = {
  id: string
  createdAt: string
  point: { lat: number; lng: number; takenAt: string } | null
}

const PHOTOS_PER_PAGE = 100
/** More than anybody takes in nine days; the newest come first. */
const PHOTOS_MAX = 1_000

/** All points of the person that the service has. Null: they cannot be read now. */
export async function readPoints(userId: string): Promise<Point[] | null> {
  const reply = await request('GET', `/user/${userId}/track`)
  if (reply?.status !== 200 || !isRecord(reply.body) || !Array.isArray(reply.body.features)) return null
  return reply.body.features.flatMap(pointOf)
}

/** A point of the service's GeoJSON, whose lines hold the same ones. */
function pointOf(feature: unknown): Point[] {
  const { geometry, properties }: Record<string, unknown> = isRecord(feature) ? feature : {}
  if (!isRecord(geometry) || geometry.type !== 'Point' || !isRecord(properties)) return []
  const [lng, lat]: unknown[] = Array.isArray(geometry.coordinates) ? geometry.coordinates : []
  const recordedAt = Date.parse(String(properties.recordedAt))
  if (typeof lat !== 'number' || typeof lng !== 'number' || !Number.isFinite(recordedAt)) return []
  const measured = { altitude: null, heading: null, source: String(properties.source) }
  const { accuracy, speed, kind } = properties
  return [
    {
      lat,
      lng,
      recordedAt,
      ...measured,
      kind: kind === 'checkin' ? 'checkin' : 'track',
      accuracy: typeof accuracy === 'number' ? accuracy : null,
      speed: typeof speed === 'number' ? speed : null,
    },
  ]
}

/** The person's photos, in the order in which they were taken. Null: they cannot be read now. */
export async function readPhotos(): Promise<OwnPhoto[] | null> {
  const photos: OwnPhoto[] = []
  for (let cursor = ''; photos.length < PHOTOS_MAX; ) {
    const reply = await request('GET', `/photos?limit=${PHOTOS_PER_PAGE}${cursor}`)
    const data = isRecord(reply?.body) ? reply.body.data : undefined
    if (reply?.status !== 200 || !isRecord(data) || !Array.isArray(data.items)) return null
    // The shape is the API's; the types of the pages follow its document.
    photos.push(...(data.items as OwnPhoto[]))
    if (typeof data.nextCursor !== 'string') break
    cursor = `&cursor=${encodeURIComponent(data.nextCursor)}`
  }
  return photos.sort((one, other) => takenMs(one) - takenMs(other))
}

/** When a photo was taken, or else was sent, in epoch milliseconds. */
export const takenMs = ({ createdAt, point }: OwnPhoto): number => Date.parse(point?.takenAt ?? createdAt)
/** Where the browser finds a photo of the person who is signed in. */
export const photoAddress = ({ id }: OwnPhoto): string => `${apiBase()}/photos/${encodeURIComponent(id)}`

/** The places of the organisers; none where they cannot be read: a day is complete without a name. */
export async function readPlaces(): Promise<PlaceFeature[]> {
  const reply = await request('GET', '/places')
  const { features }: Record<string, unknown> = isRecord(reply?.body) ? reply.body : {}
  return Array.isArray(features) ? (features as PlaceFeature[]) : []
}

/** The outlines of the counties, as the map has them. Null: they cannot be read now. */
export async function readOutlines(): Promise<FeatureCollection | null> {
  try {
    const response = await fetchInTime(assetPath('map-outlines'))
    return response.ok ? await response.json() : null
  } catch {
    return null // fetch says no more than that nothing came back
  }
}
