import type { ThrowawayStack } from '../src/throwaway-stack.ts'

const STORED_MS_MAX = 120_000
const LOOK_MS = 500

/**
 * How many points PostgreSQL has, once it has as many as were acknowledged.
 * @throws Error when it does not get there, or has more: a benchmark of a service that loses or doubles is none
 */
export async function countStored(
  { sql }: Pick<ThrowawayStack, 'sql'>,
  acknowledged: number,
): Promise<number> {
  const deadline = performance.now() + STORED_MS_MAX
  for (;;) {
    const [row] = await sql`SELECT count(*)::int AS stored FROM tracking.points`
    const stored = Number(row?.stored)
    if (stored === acknowledged) return stored
    if (stored > acknowledged || performance.now() > deadline)
      throw new Error(`${acknowledged} points were acknowledged and ${stored} are stored`)
    await Bun.sleep(LOOK_MS)
  }
}
