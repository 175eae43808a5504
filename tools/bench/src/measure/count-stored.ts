import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

const STORED_MS_MAX = 120_000
const LOOK_MS = 500

/**
 * How many points PostgreSQL has, once it has as many as were acknowledged. `people`: of how many participants they are;
 * where each sent one, as many people as points say that each point is there exactly once.
 * @throws Error when it does not get there, or has more: a benchmark of a service that loses or doubles is none
 */
export async function countStored(
  { sql }: Pick<ThrowawayStack, 'sql'>,
  acknowledged: number,
  { people }: { people?: number } = {},
): Promise<number> {
  const deadline = performance.now() + STORED_MS_MAX
  for (;;) {
    const [row] = await sql`SELECT count(*)::int AS stored FROM tracking.points`
    const stored = Number(row?.stored)
    if (stored === acknowledged) {
      if (people !== undefined) await checkPeople(sql, people)
      return stored
    }
    if (stored > acknowledged || performance.now() > deadline)
      throw new Error(`${acknowledged} points were acknowledged and ${stored} are stored`)
    await Bun.sleep(LOOK_MS)
  }
}

async function checkPeople(sql: ThrowawayStack['sql'], people: number): Promise<void> {
  const [row] = await sql`SELECT count(DISTINCT user_id)::int AS people FROM tracking.points`
  if (Number(row?.people) !== people)
    throw new Error(`points of ${people} people were acknowledged, and those of ${row?.people} are stored`)
}
