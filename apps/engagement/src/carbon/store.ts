import type { Database } from '@palanquin/db/client'
import Type, { type Static } from 'typebox'

/** Reading 300,000 surveys takes a second on a busy machine. */
const DEADLINE_MS = 8_000

/** Kilometres by mode of q3; modes outside the specification are added to mode `$2`. */
const MODES = `
SELECT CASE WHEN e.mode = ANY ($1::text[]) THEN e.mode ELSE $2 END AS mode, count(*) AS named, sum(e.km::float8) AS km
FROM engagement.participants AS p, jsonb_each_text(p.survey->'q3') AS e (mode, km)
WHERE p.survey IS NOT NULL GROUP BY 1`

/** The other answers; `others` counts surveys with a mode outside `$1`. */
const ANSWERS = `
SELECT
  coalesce(sum((survey->>'q5')::float8), 0) AS "hotelNights",
  coalesce(sum((survey->>'q7')::float8), 0) AS "waterBottles",
  coalesce(sum((survey->>'q8')::float8), 0) AS "recycledBottles",
  count(*) FILTER (WHERE (survey->'q3') - $1::text[] <> '{}') AS others
FROM engagement.participants WHERE survey IS NOT NULL`

const TRACKS = `
SELECT count(*) AS tracks, coalesce(sum(walked_km), 0) AS "walkedKm", coalesce(sum(motorized_km), 0) AS "motorizedKm"
FROM tracking.tracks`

const ONLY_SURVEYED = `
SELECT count(*) AS surveyed FROM engagement.participants AS p
WHERE p.survey IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tracking.tracks AS t WHERE t.user_id = p.user_id)`

/** Reads the rollup: a few hundred rows, whatever the number of points. */
const DAYS = `
SELECT (hour AT TIME ZONE $1)::date::text AS day, sum(motorized_km) AS "motorizedKm", sum(walked_km) AS "walkedKm"
FROM tracking.hours GROUP BY 1 ORDER BY 1`

const Count = Type.Integer({ minimum: 0 })
const ModeRow = Type.Object({ mode: Type.String(), named: Count, km: Type.Number() })
const DayRow = Type.Object({ day: Type.String(), motorizedKm: Type.Number(), walkedKm: Type.Number() })
const AnswersRow = Type.Object({
  hotelNights: Type.Number(),
  waterBottles: Type.Number(),
  recycledBottles: Type.Number(),
  others: Count,
})
const TracksRow = Type.Object({ tracks: Count, walkedKm: Type.Number(), motorizedKm: Type.Number() })
const SurveyedRow = Type.Object({ surveyed: Count })

/** Input of the carbon function, summed: kilometres, nights and bottles, no factors. */
export type Sums = {
  /** With a survey or a track. */
  participants: number
  modes: readonly Static<typeof ModeRow>[]
  /** Surveys with the mode `unknownAs` or one that counts as it. */
  unknownAsNamed: number
  hotelNights: number
  waterBottles: number
  recycledBottles: number
  walkedKm: number
  motorizedKm: number
  days: readonly Static<typeof DayRow>[]
}

/** Reads the sums. @throws StoreUnavailable */
export async function readSums(
  db: Database,
  { modes, unknownAs, timeZone }: { modes: readonly string[]; unknownAs: string; timeZone: string },
): Promise<Sums> {
  const limit = { deadlineMs: DEADLINE_MS }
  const known = modes.filter((mode) => mode !== unknownAs)
  const [byMode, [answers], [tracks], [surveyed], days] = await Promise.all([
    db.queryAs(ModeRow, MODES, [modes, unknownAs], limit),
    db.queryAs(AnswersRow, ANSWERS, [known], limit),
    db.queryAs(TracksRow, TRACKS, [], limit),
    db.queryAs(SurveyedRow, ONLY_SURVEYED, [], limit),
    db.queryAs(DayRow, DAYS, [timeZone], limit),
  ])
  if (!answers || !tracks || !surveyed) throw new Error('an aggregate is always one row')
  const { others: unknownAsNamed, hotelNights, waterBottles, recycledBottles } = answers
  const { walkedKm, motorizedKm } = tracks
  return {
    participants: tracks.tracks + surveyed.surveyed,
    modes: byMode,
    unknownAsNamed,
    hotelNights,
    waterBottles,
    recycledBottles,
    walkedKm,
    motorizedKm,
    days,
  }
}
