import type { Person } from './people.ts'

/** From where to where a dot glides: `fromX, fromY, toX, toY` for each. */
const FLOATS_PER_DOT = 4

type Position = { x: number; y: number }

/** Web Mercator, 0 to 1 from the north-west, as MapLibre's matrices expect it. */
export const mercator = ({ lat, lng }: { lat: number; lng: number }): Position => ({
  x: (lng + 180) / 360,
  y: (1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2,
})

/** Dots that glide to their next position. Relative to a centre, a Float32 is exact to centimetres. */
export function movingDots({
  centre,
  max,
  lastsMs,
}: {
  centre: { lat: number; lng: number }
  max: number
  lastsMs: number
}) {
  const origin = mercator(centre)
  const buffer = new Float32Array(max * FLOATS_PER_DOT)
  let people: readonly Person[] = []
  let startMs = Number.NEGATIVE_INFINITY

  const part = (nowMs: number): number =>
    lastsMs === 0 ? 1 : Math.min(1, Math.max(0, (nowMs - startMs) / lastsMs))

  /** Where a dot is now, relative to the centre. */
  const placeOf = (index: number, nowMs: number): Position => {
    const at = index * FLOATS_PER_DOT
    const [fromX = 0, fromY = 0, toX = 0, toY = 0] = buffer.subarray(at, at + FLOATS_PER_DOT)
    const done = part(nowMs)
    return { x: fromX + (toX - fromX) * done, y: fromY + (toY - fromY) * done }
  }

  return {
    origin,
    buffer,
    count: (): number => people.length,
    /** How much of the glide is done, 0 to 1. */
    part,
    /** Takes in the next positions; a dot that was not there before stands where it is. */
    set: (next: readonly Person[], nowMs: number): void => {
      const before = new Map(people.map(({ id }, index) => [id, placeOf(index, nowMs)]))
      people = next.slice(0, max)
      people.forEach((person, index) => {
        const { x, y } = mercator(person)
        const to = { x: x - origin.x, y: y - origin.y }
        const from = before.get(person.id) ?? to
        buffer.set([from.x, from.y, to.x, to.y], index * FLOATS_PER_DOT)
      })
      startMs = nowMs
    },
    /** Everybody with the place where their dot is now, in Mercator. */
    places: (nowMs: number): { person: Person; x: number; y: number }[] =>
      people.map((person, index) => {
        const { x, y } = placeOf(index, nowMs)
        return { person, x: x + origin.x, y: y + origin.y }
      }),
  }
}

export type MovingDots = ReturnType<typeof movingDots>
