import type { Database } from '@palanquin/db/client'
import { ROLLUP_LEVEL } from '@palanquin/domain/grid'
import { centreOf } from './centre.ts'
import { type Cell, edgesOf, patchesBetween } from './edges.ts'
import type { Cluster, Question } from './query.ts'
import { clustersOfRemaining, coarseClusters, fineClusters, partsOfFineClusters } from './statements.ts'

/** Less than the gateway waits, so that the caller is told what it was. */
const DEADLINE_MS = 9_000
/** So many clusters are in memory at a time. */
const CLUSTERS_PER_PART = 50_000

type RemainingRow = { y: number; x: number; count: number }

/**
 * The clusters of all stored points in a box, part by part; their counts add up to the points. Up to the level of the
 * rollup it is one part of one moment, read from the rollup however many points there are; finer zooms read the points,
 * a bounded number of clusters at a time, and points that arrive meanwhile may or may not be among them.
 * @throws StoreUnavailable
 */
export async function* storedClusters(
  db: Database,
  question: Question,
  { clustersPerPart = CLUSTERS_PER_PART } = {},
): AsyncGenerator<Cluster[]> {
  const { box, zoom, coarse } = question
  const { cells, reach } = edgesOf(box)
  const within = [box.west, box.south, box.east, box.north]
  const edges = [cells.west, cells.south, cells.east, cells.north]
  const options = { deadlineMs: DEADLINE_MS }
  if (zoom <= ROLLUP_LEVEL) {
    const reaches = [reach.west, reach.south, reach.east, reach.north]
    const parameters = [...within, ...edges, ...reaches]
    if (coarse) {
      const rows = await db.query<RemainingRow>(clustersOfRemaining(box, zoom), parameters, options)
      yield rows.map(({ y, x, count }) => ({ ...centreOf({ y, x }, zoom), count }))
    } else yield await db.query<Cluster>(coarseClusters(box, zoom), parameters, options)
    return
  }
  const finerCells = 4 ** (zoom - ROLLUP_LEVEL)
  const parts = await db.query<{ lat_cell: number; lng_cell: number }>(
    partsOfFineClusters(box),
    [...edges, finerCells, clustersPerPart],
    options,
  )
  const starts: Cell[] = parts.slice(1).map(({ lat_cell: lat, lng_cell: lng }) => ({ lat, lng }))
  for (const [at, from] of [null, ...starts].entries())
    for (const { south, north, west, east } of patchesBetween(from, starts[at] ?? null))
      yield await db.query<Cluster>(fineClusters(box, zoom), [...within, south, north, west, east], options)
}
