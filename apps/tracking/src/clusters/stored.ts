import type { Database } from '@palanquin/db/client'
import { ROLLUP_LEVEL } from '@palanquin/domain/grid'
import Type from 'typebox'
import { centreOf } from './centre.ts'
import { edgesOf, patchesBetween } from './edges.ts'
import type { Cluster, ClustersQuery } from './query.ts'
import { clustersOfRemaining, coarseClusters, fineClusters, partsOfFineClusters } from './statements.ts'

/** Shorter than the gateway's deadline, so that the client gets the error of this service. */
const DEADLINE_MS = 9_000
/** Clusters in memory at a time. */
const CLUSTERS_PER_PART = 50_000

const count = Type.Integer({ minimum: 1 })
const ClusterRow = Type.Object({ lat: Type.Number(), lng: Type.Number(), count })
const CellRow = Type.Object({ y: Type.Integer(), x: Type.Integer(), count })
const PartRow = Type.Object({ lat_cell: Type.Integer(), lng_cell: Type.Integer() })

/**
 * The clusters of all stored points in a box, part by part; their counts add up to the points. Up to the zoom of the rollup
 * it is one part and one snapshot. Finer zooms read the points, a bounded number of clusters at a time, and may miss
 * points that arrive meanwhile. @throws StoreUnavailable
 */
export async function* storedClusters(
  db: Database,
  query: ClustersQuery,
  { clustersPerPart = CLUSTERS_PER_PART } = {},
): AsyncGenerator<Cluster[]> {
  const { box, zoom, isCoarse } = query
  const { cells, reach } = edgesOf(box)
  const within = [box.west, box.south, box.east, box.north]
  const edges = [cells.west, cells.south, cells.east, cells.north]
  const options = { deadlineMs: DEADLINE_MS }
  if (zoom <= ROLLUP_LEVEL) {
    const parameters = [...within, ...edges, reach.west, reach.south, reach.east, reach.north]
    if (isCoarse) {
      const rows = await db.queryAs(CellRow, clustersOfRemaining(box, zoom), parameters, options)
      yield rows.map(({ y, x, count }) => ({ ...centreOf({ y, x }, zoom), count }))
    } else yield await db.queryAs(ClusterRow, coarseClusters(box, zoom), parameters, options)
    return
  }
  const finerCells = 4 ** (zoom - ROLLUP_LEVEL)
  const partParameters = [...edges, finerCells, clustersPerPart]
  const parts = await db.queryAs(PartRow, partsOfFineClusters(box), partParameters, options)
  const starts = parts.slice(1).map(({ lat_cell: lat, lng_cell: lng }) => ({ lat, lng }))
  for (const [at, from] of [null, ...starts].entries())
    for (const { south, north, west, east } of patchesBetween(from, starts[at] ?? null))
      yield await db.queryAs(
        ClusterRow,
        fineClusters(box, zoom),
        [...within, south, north, west, east],
        options,
      )
}
