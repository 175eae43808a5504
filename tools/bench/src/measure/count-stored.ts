import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

const STORED_MS_MAX = 120_000
const LOOK_MS = 500

/** The number of points in PostgreSQL, once it is as high as acknowledged. */
export async function countStored(
  { sql }: Pick<ThrowawayStack, 'sql'>,
  acknowledged: number,
  { people }: { people?: number } = {},
): Promise<number> {
  const deadline = performance.now() + STORED_MS_MAX
  for (;;) {
    const [row] = await sql`SELECT count(*)::int AS stored FROM tracking.all_points`
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
  const [row] = await sql`SELECT count(DISTINCT user_id)::int AS people FROM tracking.all_points`
  if (Number(row?.people) !== people)
    throw new Error(
      `points of ${people} participants were acknowledged, and those of ${row?.people} are stored`,
    )
}
