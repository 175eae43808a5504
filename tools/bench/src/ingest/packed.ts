/**
 * A point as a phone reports it, in integers: milliseconds, millionths of a degree, decimetres, tenths of
 * km/h.
 */
export type PackedPoint = readonly [t: number, lat: number, lng: number, accuracy: number, speed: number]

/**
 * The points of one sync as differences in as few bytes as needed (zigzag, LEB128), for the experiment of
 * one row per sync. No service reads it.
 */
export function pack(points: readonly PackedPoint[]): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  let before: PackedPoint = [0, 0, 0, 0, 0]
  for (const point of points) {
    point.forEach((value, field) => {
      const difference = value - (before[field] ?? 0)
      let left = difference < 0 ? -difference * 2 - 1 : difference * 2
      while (left >= 0x80) {
        bytes.push((left % 0x80) + 0x80)
        left = Math.floor(left / 0x80)
      }
      bytes.push(left)
    })
    before = point
  }
  return new Uint8Array(bytes)
}
