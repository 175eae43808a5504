import type { Tuple } from './entry.ts'
import { fingerprint } from './fingerprint.ts'
import { type Outline, OutlineWriter } from './outline.ts'
import { knownOf, PointPacker } from './packed-points.ts'

/** The points of a sync as its entry holds them (`p` and `n`), and their outline, by which repeats are found. */
export type PackedSync = Outline & { packed: string; count: number }

/** Packs points that were judged, one sync at a time and without a wait; NaN is a measure that is absent. */
export class SyncPacker {
  readonly #packer = new PointPacker()
  readonly #outline = new OutlineWriter()
  count = 0

  add(point: Parameters<PointPacker['add']>[0]): void {
    const { recordedAt, lat, lng, accuracy, speed } = point
    this.#packer.add(point)
    this.#outline.add(recordedAt, fingerprint(lat, lng, knownOf(accuracy), knownOf(speed)))
    this.count++
  }

  done(): PackedSync {
    return { packed: this.#packer.text(), count: this.count, ...this.#outline.done() }
  }
}

/** The same of tuples. Where one has a source or a note of its own, they stay JSON. */
export function packTuples(tuples: readonly Tuple[]): PackedSync {
  if (tuples.some(([, , , , , , , source, note]) => source || note)) return asJson(tuples)
  const packer = new SyncPacker()
  for (const tuple of tuples) {
    const [recordedAt, lat, lng, accuracy, speed, altitude, heading, , , battery] = tuple
    packer.add({
      recordedAt,
      lat,
      lng,
      accuracy: accuracy ?? Number.NaN,
      speed: speed ?? Number.NaN,
      altitude: altitude ?? Number.NaN,
      heading: heading ?? Number.NaN,
      battery: battery ?? Number.NaN,
    })
  }
  return packer.done()
}

function asJson(tuples: readonly Tuple[]): PackedSync {
  const outline = new OutlineWriter()
  for (const [recordedAt, lat, lng, accuracy, speed] of tuples)
    outline.add(recordedAt, fingerprint(lat, lng, accuracy, speed))
  return { packed: JSON.stringify(tuples), count: tuples.length, ...outline.done() }
}
