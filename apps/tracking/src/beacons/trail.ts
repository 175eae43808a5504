import { CARRYING_ACCURACY_M_MAX, carryingFix, type DeviceFix } from '@palanquin/domain/beacon'
import { simplifiedIndices } from '@palanquin/domain/simplify'

/** A trail shows the last half day (web face, section 3). */
export const TRAIL_MS = 12 * 3_600_000
/** Of the fixes of a device within this time the last is kept: 8,640 for a trail. */
export const SLOT_MS = 5_000
/** Trails are simplified to this (web face, section 4). */
const TOLERANCE_M = 10
/** A fix has this much of the way made anew, and what comes behind it. */
const PIECE_MS = 600_000

/** The latest fix of each device, and the fix where the way is. */
type Carrying = { latest: ReadonlyMap<string, DeviceFix>; last: DeviceFix | undefined }
type Piece = { fixes: DeviceFix[]; isStale: boolean; way: DeviceFix[]; end: Carrying }

const NOBODY: Carrying = { latest: new Map(), last: undefined }
const slotOf = ({ recordedAtMs }: DeviceFix): number => Math.floor(recordedAtMs / SLOT_MS)

/** The way of one beacon, made from the fixes of its devices in whatever order they arrive. */
export class Trail {
  readonly #pieces = new Map<number, Piece>()
  #way: readonly DeviceFix[] = []

  add(fix: DeviceFix): void {
    if (fix.accuracyM !== null && fix.accuracyM > CARRYING_ACCURACY_M_MAX) return
    const number = Math.floor(fix.recordedAtMs / PIECE_MS)
    const piece = this.#pieces.get(number) ?? { fixes: [], isStale: true, way: [], end: NOBODY }
    this.#pieces.set(number, piece)
    piece.fixes.push(fix)
    piece.isStale = true
  }

  /** Forgets what does not belong to the beacon any more. */
  keep(isKept: (fix: DeviceFix) => boolean): void {
    for (const piece of this.#pieces.values()) {
      const before = piece.fixes.length
      piece.fixes = piece.fixes.filter(isKept)
      if (piece.fixes.length < before) piece.isStale = true
    }
  }

  /** Makes the way with what has been added; false where nothing has changed. */
  update(nowMs: number): boolean {
    const oldest = Math.floor((nowMs - TRAIL_MS) / PIECE_MS)
    const numbers = [...this.#pieces.keys()].sort((a, b) => a - b)
    let [before, isStale] = [NOBODY, false]
    for (const number of numbers) {
      const piece = this.#pieces.get(number)
      if (!piece || number < oldest) {
        this.#pieces.delete(number)
        continue
      }
      isStale ||= piece.isStale
      if (isStale) remake(piece, before)
      before = piece.end
    }
    if (isStale)
      this.#way = [...this.#pieces.entries()].sort(([a], [b]) => a - b).flatMap(([, { way }]) => way)
    return isStale
  }

  /** The fixes of the way, in order of time. */
  way(): readonly DeviceFix[] {
    return this.#way
  }
}

function remake(piece: Piece, before: Carrying): void {
  piece.fixes = lastOfSlots(piece.fixes)
  piece.isStale = false
  const latest = new Map(before.latest)
  const way: DeviceFix[] = []
  let { last } = before
  for (const fix of piece.fixes) {
    latest.set(fix.deviceId, fix)
    const carrier = last?.deviceId ?? null
    const next = carryingFix([...latest.values()], { carrier, nowMs: fix.recordedAtMs })
    if (next === null || next.recordedAtMs <= (last?.recordedAtMs ?? 0)) continue
    way.push(next)
    last = next
  }
  const line = way.map(({ lng, lat }) => [lng, lat] as const)
  piece.way = simplifiedIndices(line, TOLERANCE_M).flatMap((at) => way[at] ?? [])
  piece.end = { latest, last }
}

/** In order of time. */
function lastOfSlots(fixes: readonly DeviceFix[]): DeviceFix[] {
  const slots = new Map<string, DeviceFix>()
  for (const fix of fixes.toSorted((a, b) => a.recordedAtMs - b.recordedAtMs))
    slots.set(`${slotOf(fix)} ${fix.deviceId}`, fix)
  return [...slots.values()].sort((a, b) => a.recordedAtMs - b.recordedAtMs)
}
