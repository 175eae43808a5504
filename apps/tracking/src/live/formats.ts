import { computeRank } from '@palanquin/domain/rank'
import { toIso } from '@palanquin/domain/time'
import type { Participants } from '../gate/participants.ts'
import { encodeCursor } from './cursor.ts'
import type { Selection } from './select.ts'
import type { Walker } from './walker.ts'

export const FORMATS = ['json', 'geojson', 'columns'] as const
export type Format = (typeof FORMATS)[number]

export const MEDIA_TYPE: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
  columns: 'application/json; charset=utf-8',
}

type Context = { participants: Pick<Participants, 'get'>; whole: boolean }

/** Columns hold a millionth of a degree, about a tenth of a metre, as integers. */
const MICRODEGREES = 1_000_000

/** The level's number, with the check-ins that are not flushed yet; 0 below one check-in. */
export function levelOf({ km, checkins, pending }: Walker): number {
  const waiting =
    pending.length < 2 ? pending.length : new Set(pending.map(({ recordedAt }) => recordedAt)).size
  return computeRank(km, checkins + waiting)?.level ?? 0
}

/** The data of an answer as JSON text: `{points, cursor, total}`, a bare FeatureCollection, or columns. */
export function render(format: Format, { walkers, cursor, total }: Selection, context: Context): string {
  const rest = `"cursor":${JSON.stringify(encodeCursor(cursor))},"total":${total}`
  if (format === 'columns') return `{${columnsOf(walkers, context)},${rest}}`
  const parts = walkers.map((walker) => piece(format, walker, context)).join(',')
  return format === 'geojson'
    ? `{"type":"FeatureCollection","features":[${parts}],${rest}}`
    : `{"points":[${parts}],${rest}}`
}

/** The text of one walker; kept until the walker changes, since most stand still between two answers. */
function piece(format: 'json' | 'geojson', walker: Walker, context: Context): string {
  const { shown } = walker
  const name = `${context.whole ? 'whole' : 'public'}:${format}` as const
  shown[name] ??= JSON.stringify(format === 'json' ? pointOf(walker, context) : featureOf(walker, context))
  return shown[name]
}

function pointOf(walker: Walker, { participants, whole }: Context) {
  const { id, userId, lat, lng, recordedAt } = walker
  const displayName = participants.get(userId)?.displayName ?? undefined
  const level = levelOf(walker) || null
  return { id, ...(whole ? { userId } : {}), lat, lng, recordedAt: toIso(recordedAt), level, displayName }
}

function featureOf(walker: Walker, context: Context) {
  const { id, lat, lng, ...properties } = pointOf(walker, context)
  return { type: 'Feature', id, geometry: { type: 'Point', coordinates: [lng, lat] }, properties }
}

function columnsOf(walkers: readonly Walker[], { participants, whole }: Context): string {
  const columns: Record<string, unknown[]> = {
    ids: walkers.map(({ id }) => id),
    ...(whole ? { userIds: walkers.map(({ userId }) => userId) } : {}),
    lat: walkers.map(({ lat }) => Math.round(lat * MICRODEGREES)),
    lng: walkers.map(({ lng }) => Math.round(lng * MICRODEGREES)),
    recordedAt: walkers.map(({ recordedAt }) => recordedAt),
    level: walkers.map(levelOf),
    displayName: walkers.map(({ userId }) => participants.get(userId)?.displayName ?? null),
  }
  return Object.entries(columns)
    .map(([name, values]) => `"${name}":${JSON.stringify(values)}`)
    .join(',')
}

/** The whole body: what is not a document of its own is wrapped as every success. */
export const bodyOf = (format: Format, data: string): string =>
  format === 'geojson' ? data : `{"ok":true,"data":${data}}`
