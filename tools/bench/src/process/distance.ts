import { advanceAll, distanceKm, emptyTrack } from '@palanquin/domain/distance'
import { cosOfLatitude, haversineKm } from '@palanquin/domain/geo'
import { walk } from '@palanquin/testing/walk'
import { type Benchmark, ROUNDS } from '../benchmark.ts'

const POINTS_MIN = 20_000
const REPEATS = 50

/** All rules of a distance against the plain formula: the cost of anchors, noise and order. */
export const distance: Benchmark = {
  name: 'distance',
  question: 'distance of a track by all rules, against the bare haversine from point to point',
  better: 'less',
  wanted: 1.6,
  run: async () => {
    const { points } = walk({
      seed: 1,
      hours: 60,
      fixEveryS: 10,
      stops: 20,
      gaps: 10,
      tunnels: 4,
      falseFixes: 5,
      rides: 2,
    })
    if (points.length < POINTS_MIN) throw new Error(`the walk has only ${points.length} points`)
    const kernel = () => distanceKm(advanceAll(emptyTrack(), points))
    const bare = () => {
      let km = 0
      for (let i = 1; i < points.length; i++) {
        const [from, to] = [points[i - 1], points[i]]
        if (from && to)
          km += haversineKm(
            from.lat,
            from.lng,
            cosOfLatitude(from.lat),
            to.lat,
            to.lng,
            cosOfLatitude(to.lat),
          )
      }
      return km
    }
    const nsPerPoint = (work: () => number): number => {
      let km = 0
      const startedNs = Bun.nanoseconds()
      for (let i = 0; i < REPEATS; i++) km += work()
      const tookNs = Bun.nanoseconds() - startedNs
      if (!(km > 0)) throw new Error('a walk of no length')
      return tookNs / (REPEATS * points.length)
    }
    nsPerPoint(kernel) // both are compiled before the measurement
    nsPerPoint(bare)
    const measured = { ours: [] as number[], yardstick: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      measured.yardstick.push(nsPerPoint(bare))
      measured.ours.push(nsPerPoint(kernel))
    }
    return { unit: 'ns a point', ...measured, notes: [`${points.length} points, ${REPEATS} passes a round`] }
  },
}
