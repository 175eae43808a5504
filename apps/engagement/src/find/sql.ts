import { FIND_PHONE_DIGITS_MIN, FOUND_MAX } from '@palanquin/domain/find'
import { isUserId } from '@palanquin/domain/ids'
import { toE164 } from '../participants/phone-number.ts'
import { phoneDigits, textCondition } from '../reports/participants/filter.ts'
import { Statement } from '../reports/participants/statement.ts'

/** A search that so many names match is too wide: of the rest of them none is looked at. */
const NAMES_MAX = 2_000

/** What matched, the best first: what names one person alone, then the end of a number, then parts of names. */
const RANK = { exact: 0, phoneEnd: 1, beginning: 2, part: 3 } as const

const OF_PARTICIPANTS = 'FROM engagement.participants AS p WHERE'

/**
 * Selects at most one more than are shown: the best matches, of equal ones the most recently seen. Each kind of match uses an
 * index of its own.
 */
export function findStatement(q: string): Statement & { text: string } {
  const statement = new Statement()
  const parameter = `${statement.parameter(q)}::text`
  const matches = [
    ...(isUserId(q) ? idMatches(parameter) : []),
    ...phoneMatches(q, statement),
    ...nameMatches(q, statement),
  ]
  const text = `
WITH matched AS (
  SELECT user_id, min(rank) AS rank FROM (${matches.map((match) => `(${match})`).join(' UNION ALL ')}) AS every
   GROUP BY user_id
), best AS (
  SELECT m.user_id, m.rank, t.last_seen_at FROM matched AS m LEFT JOIN tracking.tracks AS t ON t.user_id = m.user_id
   ORDER BY m.rank, t.last_seen_at DESC NULLS LAST, m.user_id LIMIT ${FOUND_MAX + 1}
)
SELECT best.user_id AS "userId", p.display_name AS "displayName", p.phone, coalesce(p.status = 'withdrawn', false) AS "hasWithdrawn"
  FROM best LEFT JOIN engagement.participants AS p ON p.user_id = best.user_id
 ORDER BY best.rank, best.last_seen_at DESC NULLS LAST, best.user_id`
  return Object.assign(statement, { text })
}

/** Registered, or so far only with a track or as the device of a beacon. */
const idMatches = (id: string): string[] =>
  ['engagement.participants', 'tracking.tracks', 'tracking.beacon_devices'].map(
    (table) => `SELECT user_id, ${RANK.exact} AS rank FROM ${table} WHERE user_id = ${id}`,
  )

/** A whole number in any way of writing it, or the digits at its end. */
function phoneMatches(q: string, statement: Statement): string[] {
  const digits = phoneDigits(q)
  if (digits === null || digits.length < FIND_PHONE_DIGITS_MIN) return []
  const end = statement.parameter(digits)
  const whole = toE164(q)
  return [
    `SELECT p.user_id, ${RANK.phoneEnd} AS rank ${OF_PARTICIPANTS}
      right(p.phone, ${digits.length}) = ${end}::text AND ${textCondition('p.phone', digits, statement)}`,
    ...(whole === null
      ? []
      : [
          `SELECT p.user_id, ${RANK.exact} AS rank ${OF_PARTICIPANTS}
            p.phone = ${statement.parameter(whole)}::text AND ${textCondition('p.phone', whole, statement)}`,
        ]),
  ]
}

const nameMatches = (q: string, statement: Statement): string[] => {
  const input = `engagement.name_key(${statement.parameter(q)}::text) COLLATE "C"`
  const name = 'engagement.folded(p.display_name)'
  return [
    `SELECT p.user_id, ${RANK.exact} AS rank ${OF_PARTICIPANTS}
      engagement.name_key(p.display_name) COLLATE "C" = ${input} LIMIT ${NAMES_MAX}`,
    `SELECT p.user_id, CASE WHEN starts_with(${name}, engagement.folded(${statement.parameter(q)}::text))
        THEN ${RANK.beginning} ELSE ${RANK.part} END AS rank ${OF_PARTICIPANTS}
      ${textCondition(name, q, statement)} LIMIT ${NAMES_MAX}`,
  ]
}

/** Open cases about these participants ($1), the newest first. */
export const OPEN_CASES = `
SELECT user_id AS "userId", id, kind, status, about, taken_by AS "takenBy", created_at AS "createdAt"
  FROM engagement.lost_cases WHERE user_id = ANY ($1::text[]) AND status <> 'closed' ORDER BY seq DESC`

/** Who ($1) was shown whom, and why. */
export const NOTE_SEARCH = `
INSERT INTO engagement.audit (type, by, detail) VALUES ('participant.searched', $1::text, $2::text::jsonb)`
