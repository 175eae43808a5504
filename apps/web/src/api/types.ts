/** Responses of the API that the pages read. */
import type { Beacon } from '@palanquin/domain/beacon'

export type { Beacon } from '@palanquin/domain/beacon'

type BothLanguages = { zh: string; en: string }

export type Activity = {
  status: 'upcoming' | 'active' | 'paused' | 'ended'
  since: string
  message: BothLanguages | null
  name: BothLanguages
  dates: string | null
  startsAt: string | null
  endsAt: string | null
  timezone: string
  bounds: { west: number; south: number; east: number; north: number }
  features: { line: boolean; auth: boolean; survey: boolean; photos: boolean }
  consentVersion: string
}

export type Beacons = Beacon[]

/** Cells of the crowd: `x[i]` steps of `cellDegrees` east of `west`, `y[i]` north of `south`, `n[i]` people. */
export type Density = {
  cellDegrees: number
  west: number
  south: number
  x: number[]
  y: number[]
  n: number[]
}

/** `GET /data?format=columns`: latitudes and longitudes in millionths of a degree. */
export type People = {
  ids: string[]
  lat: number[]
  lng: number[]
  recordedAt: number[]
  displayName: (string | null)[]
  /** People in the box, drawn or not. */
  total: number
}

/** `GET /import/{id}`: what became of a file that was imported. */
export type ImportState = {
  importId: string
  status: 'queued' | 'running' | 'done' | 'failed'
  points: number
  stored: number
  duplicates: number
  tooOld: number
  invalid: number
  reasons: { noTime: number }
  from: string | null
  to: string | null
  incomplete: boolean
  error: string | null
  errorCode:
    | 'unknown_format'
    | 'zip_without_kml'
    | 'damaged'
    | 'refused'
    | 'too_large'
    | 'not_taken'
    | 'send_again'
    | 'spent_today'
    | null
}

export type PlaceKind = 'supply' | 'toilet' | 'medical' | 'rest' | 'pickup' | 'other'
export type PlaceFeature = {
  type: 'Feature'
  id: string
  geometry: { type: 'Point'; coordinates: [number, number] }
  properties: { kind: PlaceKind; name: BothLanguages; note: BothLanguages | null }
}
export type Places = { type: 'FeatureCollection'; features: PlaceFeature[] }

export type RouteLine = {
  type: 'FeatureCollection'
  features: {
    type: 'Feature'
    geometry: { type: 'LineString'; coordinates: [number, number][] }
    properties: object
  }[]
}

export type Trail = {
  type: 'Feature'
  geometry: { type: 'LineString'; coordinates: [number, number][] }
  properties: { times: number[] }
}

export type Notice = BothLanguages & {
  id: string
  at: string
  level: 'info' | 'warning' | 'urgent'
  until: string | null
}
export type Consent = BothLanguages & { version: string }
