import { ERASED_ACTOR } from './without-participant.ts'

/** Some outboxes keep it as `json`. */
const DATA = 'data::jsonb'

/** Parts of a WITH that take a participant (`user`) out of a schema's outbox; the last is `forgotten.events`. */
export function forgetInOutbox({
  schema,
  user,
  guard = '',
}: {
  schema: string
  user: `$${number}`
  guard?: string
}): string {
  const totals = `jsonb_build_object('participants', jsonb_build_array(jsonb_build_object('userId', ${user}::text)))`
  const isTheirs = `(${DATA}->>'userId' = ${user}
     OR type = 'track.advanced' AND ${DATA} @> ${totals} AND jsonb_array_length(${DATA}->'participants') = 1)`
  return `
unsent AS (
  DELETE FROM ${schema}.outbox WHERE ${isTheirs} ${guard} RETURNING 1
), resummed AS (
  UPDATE ${schema}.outbox SET data = jsonb_set(${DATA}, '{participants}', (
      SELECT jsonb_agg(one ORDER BY place)
        FROM jsonb_array_elements(${DATA}->'participants') WITH ORDINALITY AS list(one, place)
       WHERE one->>'userId' IS DISTINCT FROM ${user}))
   WHERE type = 'track.advanced' AND ${DATA} @> ${totals} AND jsonb_array_length(${DATA}->'participants') > 1 ${guard}
  RETURNING 1
), unmentioned AS (
  UPDATE ${schema}.outbox SET data = jsonb_set(${DATA}, '{detail}', ${withoutMention(`${DATA}->'detail'`, user)})
      || CASE WHEN ${DATA}->>'by' = ${user} THEN '{"by": "${ERASED_ACTOR}"}'::jsonb ELSE '{}' END
   WHERE type = 'admin.acted' AND ${mentions(`${DATA}->'detail'`, user)} ${guard}
  RETURNING 1
), unnamed AS (
  UPDATE ${schema}.outbox SET data = jsonb_set(${DATA}, '{by}', '"${ERASED_ACTOR}"')
   WHERE ${DATA}->>'by' = ${user} AND NOT (type = 'admin.acted' AND ${mentions(`${DATA}->'detail'`, user)}) ${guard}
  RETURNING 1
), forgotten AS (
  SELECT (SELECT count(*) FROM unsent) + (SELECT count(*) FROM resummed) + (SELECT count(*) FROM unmentioned)
       + (SELECT count(*) FROM unnamed) AS events
)`
}

/** Whether a `detail` of something that an administrator did names the participant; SQL. */
export const mentions = (detail: string, user: `$${number}`): string =>
  `(${detail}->>'userId' = ${user} OR ${detail} @> jsonb_build_object('userIds', jsonb_build_array(${user}::text)))`

/** The `detail` without the participant; SQL. */
export const withoutMention = (detail: string, user: `$${number}`): string => `(
  CASE WHEN ${detail}->>'userId' = ${user} THEN (${detail}) - 'userId' ELSE ${detail} END
  || CASE WHEN jsonb_typeof(${detail}->'userIds') = 'array'
       THEN jsonb_build_object('userIds', (${detail}->'userIds') - ${user}::text) ELSE '{}' END)`
