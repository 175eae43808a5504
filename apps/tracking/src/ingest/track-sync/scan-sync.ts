import { isUserId } from '@palanquin/domain/ids'
import { PlainJson } from '@palanquin/domain/payload/plain-json'
import { DEFAULT_SOURCE_OF } from '@palanquin/domain/point'
import { SYNC_POINTS_MAX } from '@palanquin/domain/point/input'
import { type PackedSync, SyncPacker } from '../../buffer/pack-sync.ts'
import type { Rejection } from './judge.ts'
import { PointScan, type Scanning } from './scan-point.ts'

const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** A sync that was read, judged and packed in one pass over its text. */
export type ScannedSync = {
  userId: string
  source: string
  received: number
  points: PackedSync
  /** Of those, how many never count for the distance. */
  filtered: number
  rejected: Rejection[]
}

/**
 * Reads a sync as phones write it, without objects: the same that the parser, the body's schema and `judgeSync` make of it.
 * Undefined for everything that is written otherwise, that is refused as a whole, or whose points are not in the order of their
 * times (only then can one repeat another): that is theirs to judge.
 */
export function scanSync(text: string, scanning: Scanning): ScannedSync | undefined {
  const json = new PlainJson(text)
  const points = new PointsScan(json, scanning)
  let userId: string | undefined
  let source: string | undefined
  let state: number = json.open()
  while (state === 1) {
    const start = json.name()
    if (start < 0) return undefined
    if (json.says('userId', start, json.nameEnd)) {
      if (userId !== undefined) return undefined
      userId = textOf(json)
    } else if (json.says('source', start, json.nameEnd)) {
      if (source !== undefined) return undefined
      source = textOf(json)
      if (source === undefined) return undefined
    } else if (!json.says('points', start, json.nameEnd) || !points.run()) return undefined
    state = json.more()
  }
  const from = source ?? DEFAULT_SOURCE_OF.track
  if (state !== 0 || !json.isAtEnd() || !isUserId(userId) || !points.isWhole(from)) return undefined
  if (!scanning.sources.includes(from)) return undefined
  return { userId, source: from, ...points.done() }
}

/** A string that needs no trimming. */
function textOf(json: PlainJson): string | undefined {
  const start = json.string()
  const text = start < 0 ? '' : json.slice(start, json.at - 1)
  return text !== '' && text.trim() === text ? text : undefined
}

/** The list of points, judged and packed while it is read. */
class PointsScan {
  readonly #json: PlainJson
  readonly #point: PointScan
  readonly #packer = new SyncPacker()
  readonly #rejected: Rejection[] = []
  #received = 0
  #filtered = 0
  #previousAt = Number.NaN
  /** 1 where times grow, -1 where they fall, 0 until there are two. */
  #direction = 0

  constructor(json: PlainJson, scanning: Scanning) {
    this.#json = json
    this.#point = new PointScan(json, scanning)
  }

  /** Whether it could be read; a second list of a body cannot. */
  run(): boolean {
    const json = this.#json
    if (this.#received > 0 || !json.take(OPEN_BRACKET)) return false
    do {
      if (this.#received === SYNC_POINTS_MAX || !this.#point.read() || !this.#judge()) return false
      this.#received++
    } while (json.take(COMMA))
    return json.take(CLOSE_BRACKET)
  }

  /** Whether there was a list, whose points name no other source than the sync. */
  isWhole(source: string): boolean {
    const { source: own } = this.#point
    return this.#received > 0 && (own === undefined || own === source)
  }

  done() {
    const [received, filtered, rejected] = [this.#received, this.#filtered, this.#rejected]
    return { received, points: this.#packer.done(), filtered, rejected }
  }

  #judge(): boolean {
    const point = this.#point
    const reason = point.verdict()
    if (reason !== null) {
      this.#rejected.push({ index: this.#received, reason })
      return true
    }
    if (!Number.isNaN(this.#previousAt)) {
      const direction = Math.sign(point.recordedAt - this.#previousAt)
      if (direction === 0 || direction === -this.#direction) return false
      this.#direction = direction
    }
    this.#previousAt = point.recordedAt
    if (point.isFiltered()) this.#filtered++
    this.#packer.add(point)
    return true
  }
}
