import type { BoundingBox } from '@palanquin/domain/geo'
import { cellIndexSql, ROLLUP_LEVEL } from '@palanquin/domain/grid'
import { inBox, joint, pointsWhere, type Where } from '../packed/places.ts'

/**
 * The statements of `of=all`. $1 to $4 are the box (west, south, east, north), $5 to $8 the rollup cells in which its edges
 * lie.
 */

/** Cells inside the box: a greater index is a greater degree, so indices suffice. */
const isInside = (box: BoundingBox, lat: string, lng: string): string =>
  `(${lat} > $6 AND ${lat} < $8 AND (${lng} > $5 ${joint(box)} ${lng} < $7))`

/** Cells that touch the box. */
const touches = (box: BoundingBox): string =>
  `lat_cell >= $6 AND lat_cell <= $8 AND (lng_cell >= $5 ${joint(box)} lng_cell <= $7)`

/** What of the box the cells reach that its edges cut. */
const NEAR_EDGES: Where = {
  place: 'lat <= $10 OR lat >= $12 OR (lng >= $1 AND lng <= $9) OR (lng >= $11 AND lng <= $3)',
  bounds:
    'lat_from <= $10 OR lat_to >= $12 OR (lng_to >= $1 AND lng_from <= $9) OR (lng_to >= $11 AND lng_from <= $3)',
}
const IN_PATCH: Where = {
  place: 'lat >= $5 AND lat < $6 AND lng >= $7 AND lng < $8',
  bounds: 'lat_to >= $5 AND lat_from < $6 AND lng_to >= $7 AND lng_from < $8',
}
const WITHDRAWN = "user_id IN (SELECT user_id FROM engagement.participants WHERE status = 'withdrawn')"

const LEVEL_LAT = cellIndexSql('lat', ROLLUP_LEVEL)
const LEVEL_LNG = cellIndexSql('lng', ROLLUP_LEVEL)

/**
 * For zooms whose cells are made of whole rollup cells: cells inside the box are counted from the rollup, cells that its
 * edges cut from the points, if there are any. One statement, and so one snapshot. $9 to $12 are how far the cut cells
 * reach into the box (west, south, east, north), for the index over places.
 */
const countedCells = (box: BoundingBox, zoom: number): string => `
whole AS (
  SELECT lat_cell >> ${ROLLUP_LEVEL - zoom} AS y, lng_cell >> ${ROLLUP_LEVEL - zoom} AS x,
         sum(points) AS points, sum(sum_lat) AS lats, sum(sum_lng) AS lngs
    FROM tracking.cells WHERE ${isInside(box, 'lat_cell', 'lng_cell')} GROUP BY 1, 2
), cut AS (
  SELECT ${cellIndexSql('lat', zoom)} AS y, ${cellIndexSql('lng', zoom)} AS x,
         count(*) AS points, sum(lat) AS lats, sum(lng) AS lngs
    FROM ${pointsWhere([inBox(box), NEAR_EDGES])} AS points
   WHERE NOT ${isInside(box, LEVEL_LAT, LEVEL_LNG)}
     AND (SELECT EXISTS (SELECT FROM tracking.cells
                          WHERE ${touches(box)} AND NOT ${isInside(box, 'lat_cell', 'lng_cell')} AND points > 0))
   GROUP BY 1, 2
), counted AS (
  SELECT y, x, sum(points) AS points, sum(lats) AS lats, sum(lngs) AS lngs
    FROM (SELECT * FROM whole UNION ALL SELECT * FROM cut) AS both_kinds GROUP BY y, x
)`

export const coarseClusters = (box: BoundingBox, zoom: number): string => `
WITH ${countedCells(box, zoom)}
SELECT lats / points AS lat, lngs / points AS lng, points::bigint AS count
  FROM counted WHERE points > 0 ORDER BY y, x`

/** The same by cell index, without the points of withdrawn participants. */
export const clustersOfRemaining = (box: BoundingBox, zoom: number): string => `
WITH ${countedCells(box, zoom)}, withdrawn AS (
  SELECT ${cellIndexSql('lat', zoom)} AS y, ${cellIndexSql('lng', zoom)} AS x, count(*) AS points
    FROM ${pointsWhere([inBox(box)], WITHDRAWN)} AS points
   GROUP BY 1, 2
)
SELECT counted.y, counted.x, (counted.points - coalesce(withdrawn.points, 0))::bigint AS count
  FROM counted LEFT JOIN withdrawn ON withdrawn.y = counted.y AND withdrawn.x = counted.x
 WHERE counted.points > coalesce(withdrawn.points, 0) ORDER BY counted.y, counted.x`

/**
 * Cuts finer zooms into parts of about $6 clusters at most: the first cell of each part, in order. A rollup cell has no more
 * clusters than points, and at most $5 finer cells. $1 to $4 are the cells in which the edges of the box lie.
 */
export const partsOfFineClusters = (box: BoundingBox): string => `
SELECT DISTINCT ON (part) part, lat_cell, lng_cell FROM (
  SELECT lat_cell, lng_cell, sum(least(sum(points), $5)) OVER (ORDER BY lat_cell, lng_cell)::bigint / $6::bigint AS part
    FROM tracking.cells
   WHERE lat_cell >= $2 AND lat_cell <= $4 AND (lng_cell >= $1 ${joint(box)} lng_cell <= $3)
   GROUP BY lat_cell, lng_cell) AS cells
 ORDER BY part, lat_cell, lng_cell`

/** The clusters of a finer zoom in one patch of the box: from $5, $7 (latitude, longitude) up to $6, $8 (exclusive). */
export const fineClusters = (box: BoundingBox, zoom: number): string => `
SELECT sum(lat) / count(*) AS lat, sum(lng) / count(*) AS lng, count(*) AS count
  FROM ${pointsWhere([inBox(box), IN_PATCH])} AS points
 GROUP BY ${cellIndexSql('lat', zoom)}, ${cellIndexSql('lng', zoom)}`
