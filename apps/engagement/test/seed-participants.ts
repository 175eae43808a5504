import type { Sql } from 'postgres'

/** A crowd in the database, made there in seconds. Names, numbers and distances spread as in a real one. */
export async function seedParticipants(sql: Sql, count: number): Promise<void> {
  // Built at the end, an index takes a third of the time.
  const [search] = await sql<{ definition: string }[]>`
    SELECT pg_get_indexdef('engagement.participants_search'::regclass) AS definition`
  await sql`DROP INDEX engagement.participants_search`
  await sql`
    INSERT INTO engagement.participants
      (user_id, display_name, phone, status, survey, survey_completed_at, survey_first_at, created_at, updated_at)
    SELECT 'U' || md5(i::text),
      CASE WHEN i % 10 > 0 THEN (ARRAY['林','陳','黃','張','李','王','吳','Amy ','Bob ','媽祖婆'])[1 + i % 10]
        || (ARRAY['怡君','志明','Chen','淑芬','大甲','冠宇'])[1 + (i / 10) % 6] || i END,
      CASE WHEN i % 3 = 0 THEN '+8869' || lpad(((i::bigint * 7919) % 100000000)::text, 8, '0') END,
      CASE WHEN i % 100 = 7 THEN 'withdrawn' WHEN i % 50 = 3 THEN 'completed' ELSE 'active' END,
      CASE WHEN i % 2 = 0 THEN jsonb_build_object('q1', '[]'::jsonb, 'q2', '["palanquin"]'::jsonb,
        'q3', jsonb_build_object('hsr', i % 400, 'bus', i % 37 + 0.5), 'q4', '[]'::jsonb, 'q5', i % 9, 'q6', 'mixed',
        'q7', i % 30, 'q8', i % 31, 'q9', i % 5, 'q10', NULL) END,
      CASE WHEN i % 2 = 0 THEN at END, CASE WHEN i % 2 = 0 THEN at END, at - interval '1 day', at
    FROM generate_series(1, ${count}::int) AS i,
      LATERAL (SELECT '2026-05-01T00:00:00Z'::timestamptz + i * interval '1 second' AS at) AS moment`
  await sql`
    INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, points, checkins, state, last_seen_at)
    SELECT 'U' || md5(i::text), i % 16, 1, (i::bigint * 7919 % 32000) / 100.0, (i::bigint * 31 % 3000) / 100.0,
      i % 5000, (i::bigint * 17) % 45, '{}', '2026-05-02T00:00:00Z'::timestamptz + (i % 100000) * interval '3 second'
    FROM generate_series(1, ${count}::int) AS i WHERE i % 3 <> 1`
  if (!search) throw new Error('the index of the search is gone')
  await sql.unsafe(search.definition)
  await sql`VACUUM (ANALYZE) engagement.participants, tracking.tracks`
}
