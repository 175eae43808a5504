import { cellDegrees } from '@palanquin/domain/grid'
import type { Cluster, ClustersQueryParams } from './query.ts'

export type Format = NonNullable<ClustersQueryParams['format']>

export const MEDIA_TYPE: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
}

/** Seven decimals: a centimetre. */
const DEGREE_DECIMALS = 1e7
const rounded = (degrees: number): number => Math.round(degrees * DEGREE_DECIMALS) / DEGREE_DECIMALS

const AS_TEXT: Record<Format, (cluster: Cluster) => string> = {
  json: ({ lat, lng, count }) => `{"lat":${rounded(lat)},"lng":${rounded(lng)},"count":${count}}`,
  geojson: ({ lat, lng, count }) =>
    `{"type":"Feature","geometry":{"type":"Point","coordinates":[${rounded(lng)},${rounded(lat)}]},"properties":{"count":${count}}}`,
}

/** The document, piece by piece. */
export async function* render(
  format: Format,
  zoom: number,
  parts: AsyncIterable<Cluster[]> | Iterable<Cluster[]>,
): AsyncGenerator<string> {
  const grid = `"zoom":${zoom},"cellDegrees":${cellDegrees(zoom)}`
  const [head, tail] =
    format === 'json'
      ? [`{"ok":true,"data":{${grid},"clusters":[`, ']}}']
      : [`{"type":"FeatureCollection",${grid},"features":[`, ']}']
  let separator = head
  for await (const part of parts) {
    if (part.length === 0) continue
    yield separator + part.map(AS_TEXT[format]).join(',')
    separator = ','
  }
  yield (separator === head ? head : '') + tail
}
