import type { Found } from '../found.ts'
import { Unreadable } from '../unreadable.ts'
import { fixesOf } from './geojson.ts'
import { readRecord, readSegment, readSignal, readTimelineObject } from './google.ts'
import { readMessage } from './owntracks.ts'
import { isFacts, readJson } from './read.ts'

export type JsonFormat = 'geojson' | 'owntracks' | 'google-records' | 'google-timeline' | 'google-semantic'

const UNKNOWN =
  'This JSON is none that is known: neither GeoJSON nor OwnTracks ("_type": "location"), nor Records.json, Semantic Location History or Timeline.json of Google.'

/** Points of a JSON document of any known kind. @throws Unreadable */
export function readJsonDocument(texts: Iterable<string>, found: Found): JsonFormat {
  let format: JsonFormat | undefined
  const once = new Set<string>()
  /** A position that stands in a line and as a Point is one. */
  const addFeature = (feature: unknown) => {
    for (const fix of fixesOf(feature)) {
      const key = `${fix.lat} ${fix.lng} ${fix.time}`
      if (fix.time !== undefined && once.has(key)) continue
      once.add(key)
      found.add(fix)
    }
  }
  const readers: Readonly<Record<string, { format: JsonFormat; read: (value: unknown) => void }>> = {
    locations: { format: 'google-records', read: (value) => readRecord(value, found) },
    timelineObjects: { format: 'google-semantic', read: (value) => readTimelineObject(value, found) },
    semanticSegments: { format: 'google-timeline', read: (value) => readSegment(value, found) },
    rawSignals: { format: 'google-timeline', read: (value) => readSignal(value, found) },
    features: { format: 'geojson', read: addFeature },
    data: { format: 'owntracks', read: (value) => readMessage(value, found) },
  }
  const readUnnamed = (value: unknown): JsonFormat | undefined => {
    if (!isFacts(value)) return undefined
    if (readMessage(value, found)) return 'owntracks'
    if (typeof value.type === 'string') {
      addFeature(value)
      return 'geojson'
    }
    if ('startTime' in value && 'endTime' in value) {
      readSegment(value, found)
      return 'google-timeline'
    }
    // A list that is empty.
    const name = Object.keys(readers).find((list) => list in value)
    return name === undefined ? undefined : readers[name]?.format
  }
  readJson(texts, ({ list, value }) => {
    const reader = readers[list]
    reader?.read(value)
    format = (reader ? reader.format : readUnnamed(value)) ?? format
  })
  if (format === undefined) throw new Unreadable('unknown_format', UNKNOWN)
  return format
}
