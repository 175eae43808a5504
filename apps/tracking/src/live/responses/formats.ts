import { computeRank } from '@palanquin/domain/rank'
import { toIso } from '@palanquin/domain/time'
import type { Participants } from '../../access/participants.ts'
import { encodeCursor } from '../positions/cursor.ts'
import type { LivePosition } from '../positions/live-position.ts'
import type { Selection } from './selection.ts'

export const FORMATS = ['json', 'geojson', 'columns'] as const
export type Format = (typeof FORMATS)[number]

export const MEDIA_TYPE: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
  columns: 'application/json; charset=utf-8',
}

export type Context = { participants: Pick<Participants, 'get'>; includeHidden: boolean }

/** Columns hold a millionth of a degree, about a tenth of a metre, as integers. */
const MICRODEGREES = 1_000_000

/** The level, with the check-ins that are not flushed yet; 0 below one check-in. */
function levelOf({ km, checkins, pending }: LivePosition): number {
  const pendingCheckins =
    pending.length < 2 ? pending.length : new Set(pending.map(({ recordedAt }) => recordedAt)).size
  return computeRank(km, checkins + pendingCheckins)?.level ?? 0
}

/** The data of a response as JSON text: `{points, removed?, cursor, total}`, a bare FeatureCollection, or columns. */
export function render(format: Format, selection: Selection, context: Context): string {
  const { positions, cursor, total, removed, reset } = selection
  const rest = [
    ...(removed ? [`"removed":${JSON.stringify(removed)}`] : []),
    ...(reset ? ['"reset":true'] : []),
    `"cursor":${JSON.stringify(encodeCursor(cursor))}`,
    `"total":${total}`,
  ].join(',')
  if (format === 'columns') return `{${columnsOf(positions, context)},${rest}}`
  const parts = positions.map((position) => textOf(format, position, context)).join(',')
  return format === 'geojson'
    ? `{"type":"FeatureCollection","features":[${parts}],${rest}}`
    : `{"points":[${parts}],${rest}}`
}

/** The text of one position. The public one is cached until it changes: most positions stand still between two responses. */
function textOf(format: 'json' | 'geojson', position: LivePosition, context: Context): string {
  const stringify = () =>
    JSON.stringify(format === 'json' ? pointOf(position, context) : featureOf(position, context))
  if (context.includeHidden) return stringify()
  position.texts[format] ??= stringify()
  return position.texts[format]
}

const nameOf = (position: LivePosition, { participants, includeHidden }: Context): string | null =>
  includeHidden ? (participants.get(position.userId)?.displayName ?? null) : position.publicName

function pointOf(position: LivePosition, context: Context) {
  const { includeHidden } = context
  const { id, userId, lat, lng, recordedAt, accuracyM } = position
  return {
    id,
    ...(includeHidden ? { userId } : {}),
    lat,
    lng,
    ...(accuracyM === null ? {} : { accuracy: accuracyM }),
    recordedAt: toIso(recordedAt),
    level: levelOf(position) || null,
    displayName: nameOf(position, context) ?? undefined,
  }
}

function featureOf(position: LivePosition, context: Context) {
  const { id, lat, lng, ...properties } = pointOf(position, context)
  return { type: 'Feature', id, geometry: { type: 'Point', coordinates: [lng, lat] }, properties }
}

function columnsOf(positions: readonly LivePosition[], context: Context): string {
  const columns: Record<string, unknown[]> = {
    ids: positions.map(({ id }) => id),
    ...(context.includeHidden ? { userIds: positions.map(({ userId }) => userId) } : {}),
    lat: positions.map(({ lat }) => Math.round(lat * MICRODEGREES)),
    lng: positions.map(({ lng }) => Math.round(lng * MICRODEGREES)),
    accuracy: positions.map(({ accuracyM }) => accuracyM && Math.round(accuracyM)),
    recordedAt: positions.map(({ recordedAt }) => recordedAt),
    level: positions.map(levelOf),
    displayName: positions.map((position) => nameOf(position, context)),
  }
  return Object.entries(columns)
    .map(([name, values]) => `"${name}":${JSON.stringify(values)}`)
    .join(',')
}

/** The whole body: GeoJSON stands by itself, the others are wrapped as every success. */
export const bodyOf = (format: Format, data: string): string =>
  format === 'geojson' ? data : `{"ok":true,"data":${data}}`
