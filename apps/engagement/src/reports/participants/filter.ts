import { LEVELS, type LevelKm } from '@palanquin/domain/level'
import type { ParticipantStatus } from '@palanquin/domain/participant'
import type { ParticipantItem } from './item.ts'
import type { Statement } from './statement.ts'

/** Filter of the list; undefined matches all. */
export type Filter = {
  q?: string | undefined
  status?: ParticipantStatus | undefined
  /** 0: no level yet. */
  level?: number | undefined
  /** Who is near a place. */
  near?: readonly string[] | undefined
  /** Nothing came from them since; ISO 8601. */
  silentSince?: string | undefined
}

const ID = /^[A-Za-z0-9_-]{1,64}$/
/** Sorts after every character of an id. */
const AFTER_IDS = '~'
/** Fewer digits match nearly every number. */
const PHONE_DIGITS_MIN = 3
const PHONE_PUNCTUATION = /[\s()+./-]/g

/** The digits of a typed phone number; null for any other text. */
export function phoneDigits(q: string): string | null {
  const digits = q.replace(PHONE_PUNCTUATION, '')
  return /^\d+$/.test(digits) ? digits : null
}

/** SQL: conditions on participants `p` with their track `t`, if any. */
export function conditions(filter: Filter, statement: Statement, levelKm: LevelKm): string[] {
  return [
    filter.status === undefined ? [] : [`p.status = ${statement.parameter(filter.status)}`],
    filter.level === undefined ? [] : [levelCondition(filter.level, levelKm)],
    filter.q === undefined ? [] : [searchCondition(filter.q, statement)],
    filter.near === undefined ? [] : [`p.user_id = ANY (${statement.parameter(filter.near)}::text[])`],
    filter.silentSince === undefined ? [] : silentConditions(filter.silentSince, statement),
  ].flat()
}

/** SQL: conditions on unregistered user ids `s`: active, without a name, perhaps with a track `t`. Null: none can match. */
export function unregisteredConditions(
  filter: Filter,
  statement: Statement,
  levelKm: LevelKm,
): string[] | null {
  if (filter.status !== undefined && filter.status !== 'active') return null
  if (filter.q !== undefined && !ID.test(filter.q)) return null
  return [
    filter.level === undefined ? [] : [levelCondition(filter.level, levelKm)],
    filter.q === undefined ? [] : [idCondition('s.user_id', filter.q, statement)],
    filter.near === undefined ? [] : [`s.user_id = ANY (${statement.parameter(filter.near)}::text[])`],
    filter.silentSince === undefined ? [] : [`t.last_seen_at < ${instant(filter.silentSince, statement)}`],
  ].flat()
}

const instant = (iso: string, statement: Statement): string =>
  `${statement.parameter(iso)}::text::timestamptz`

/** Of `lastSeenAt`, which is the later of the two. */
const silentConditions = (iso: string, statement: Statement): string[] => {
  const since = instant(iso, statement)
  return [`p.updated_at < ${since}`, `(t.user_id IS NULL OR t.last_seen_at < ${since})`]
}

/** SQL of the domain's table, by what is stored: this level is reached and the next is not. */
function levelCondition(wanted: number, levelKm: LevelKm): string {
  const km = levelKm === 'walked' ? 't.walked_km' : 't.walked_km + t.motorized_km'
  const reaches = (number: number): string | null => {
    const level = LEVELS.find(({ level }) => level === number)
    return level ? `(${km} >= ${level.minKm} AND t.checkins >= ${level.minCheckins})` : null
  }
  const reached = reaches(wanted)
  const next = reaches(wanted + 1)
  if (reached === null) return `(t.user_id IS NULL OR NOT ${next})`
  return next === null ? reached : `(${reached} AND NOT ${next})`
}

/** SQL: prefix of the id, part of the name, or digits of the phone number, by the gram index. */
function searchCondition(q: string, statement: Statement): string {
  const ways = [textCondition('engagement.folded(p.display_name)', q, statement)]
  if (ID.test(q)) ways.push(idCondition('p.user_id', q, statement))
  const digits = phoneDigits(q)
  // 0912… is stored as +886912…
  if (digits !== null && digits.length >= PHONE_DIGITS_MIN)
    ways.push(textCondition('p.phone', digits.replace(/^0/, ''), statement))
  return `(${ways.join(' OR ')})`
}

/** SQL: `text`, which is a part of a participant's search text, has `q` in it; by the gram index. No character is a pattern. */
export function textCondition(text: string, q: string, statement: Statement): string {
  const needle = `engagement.folded(${statement.parameter(q)}::text)`
  const size = Array.from(q.normalize('NFKC')).length > 1 ? 2 : 1
  // The cheap test first, for plans that test every row.
  return `(strpos(${text}, ${needle}) > 0
    AND engagement.grams(engagement.search_text(p.display_name, p.phone), 1) @> engagement.grams(${needle}, ${size}))`
}

function idCondition(id: string, q: string, statement: Statement): string {
  const [from, to] = [statement.parameter(q), statement.parameter(q + AFTER_IDS)]
  return `(${id} COLLATE "C" >= ${from} AND ${id} COLLATE "C" < ${to})`
}

/** Whether a participant with what is in the buffer still matches. */
export function isWanted({ status, level, silentSince }: Filter, profile: ParticipantItem): boolean {
  if (silentSince !== undefined && latestSign(profile) >= Date.parse(silentSince)) return false

  if (status !== undefined && profile.status !== status) return false
  return level === undefined || (profile.level?.level ?? 0) === level
}

/** A position that waits for its flush is later than what the profile says. */
const latestSign = ({ lastSeenAt, lastPosition }: ParticipantItem): number =>
  Math.max(Date.parse(lastSeenAt ?? '') || 0, Date.parse(lastPosition?.recordedAt ?? '') || 0)
