import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import { mayTrack } from '@palanquin/domain/participant'
import type { Participants } from '../gate/participants.ts'
import type { Cursor, EntryNumber } from './cursor.ts'
import { BEGINNING } from './cursor.ts'
import type { LiveMap } from './map.ts'
import type { Walker } from './walker.ts'

/** What a caller asks for. Without `limit` everything that fits; without `since` from the beginning. */
export type Question = {
  bbox: BoundingBox | null
  since: Cursor | null
  limit: number | null
  /** Whether everybody is shown, and by name and `userId`: for administrators. */
  whole: boolean
}

/** The walkers of an answer, the cursor to go on from, and how many there are in the box in all. */
export type Selection = { walkers: Walker[]; cursor: Cursor; total: number }

/** Whether a participant is on the public map: with consent, and not withdrawn. Who is unknown has given none. */
export function isPublic(participants: Pick<Participants, 'get'>, { userId, shown }: Walker): boolean {
  if (shown.isPublic === undefined) {
    const participant = participants.get(userId)
    shown.isPublic = participant?.consent === true && mayTrack(participant.status)
  }
  return shown.isPublic
}

type View = {
  map: LiveMap
  participants: Pick<Participants, 'get'>
  /** How many there are in all, where no box is asked for: counting a hundred thousand for each caller takes too long. */
  total: (whole: boolean) => number
}

/** Answers a question from memory. With a limit, or a cursor, the walkers come in the order in which they moved. */
export function select(
  { map, participants, total }: View,
  { bbox, since, limit, whole }: Question,
): Selection {
  const fits = (walker: Walker): boolean =>
    (bbox === null || boxContains(bbox, walker.lat, walker.lng)) && (whole || isPublic(participants, walker))
  const now = map.cursor()
  const isPage = since !== null || limit !== null
  if (isPage && bbox === null) return { ...pageOf(map, { since, limit, fits, now }), total: total(whole) }
  const all: Walker[] = []
  for (const walker of map.all()) if (fits(walker)) all.push(walker)
  if (!isPage) return { walkers: all, cursor: now, total: all.length }
  return { ...pageOf(map, { since, limit, fits, now }), total: all.length }
}

function pageOf(
  map: LiveMap,
  given: Pick<Question, 'since' | 'limit'> & { fits: (walker: Walker) => boolean; now: Cursor },
): { walkers: Walker[]; cursor: Cursor } {
  const { fits, now } = given
  const since = given.since ?? BEGINNING
  const limit = given.limit ?? Number.POSITIVE_INFINITY
  const walkers: Walker[] = []
  const cursor: EntryNumber[] = [...since]
  for (let shard = 0; shard < SHARD_COUNT; shard++) {
    for (const walker of map.movedSince(shard, since[shard] ?? [0, 0])) {
      if (!fits(walker)) continue
      if (walkers.length >= limit) return { walkers, cursor }
      walkers.push(walker)
      cursor[shard] = walker.movedAt
    }
    cursor[shard] = later(cursor[shard], now[shard])
  }
  return { walkers, cursor }
}

/** A cursor of before Redis lost its data may be ahead of what we have seen: it never goes back. */
const later = (a: EntryNumber = [0, 0], b: EntryNumber = [0, 0]): EntryNumber =>
  a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]) ? a : b
