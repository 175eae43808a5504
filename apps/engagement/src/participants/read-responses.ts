import type { ApiError } from '@palanquin/service/http/api-error'
import { ALONE } from '@palanquin/service/http/batch'
import { responseOf } from './cache-entry.ts'
import { type ProfileStores, readUncached, unknown } from './read-profile.ts'

/** A finished response, an error, or ALONE for what took too long. */
export type Outcome = string | ApiError | typeof ALONE

type Options = {
  /** The others do not wait longer for those that are not cached. */
  timeoutMs: number
  /** The error to answer with for what was thrown. */
  errorOf: (error: unknown, at: number) => ApiError
}

/**
 * The responses of many profiles, in the order of the ids: fresh ones are passed on as they are cached, after one look for all of
 * them, and cost no promise of their own; the others are read as a single one is. Never rejects.
 */
export async function readResponses(
  stores: ProfileStores,
  userIds: readonly string[],
  { timeoutMs, errorOf }: Options,
): Promise<readonly Outcome[]> {
  const outcomes = new Array<Outcome>(userIds.length).fill(ALONE)
  const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
  const timer = setTimeout(giveUp, timeoutMs)
  await Promise.race([readInto(outcomes, stores, { userIds, errorOf }), late])
  clearTimeout(timer)
  return outcomes
}

async function readInto(
  outcomes: Outcome[],
  stores: ProfileStores,
  { userIds, errorOf }: Pick<Options, 'errorOf'> & { userIds: readonly string[] },
): Promise<void> {
  const { cache } = stores
  const found = await cache.look(userIds)
  const readAlone = async (userId: string, at: number): Promise<void> => {
    try {
      const one = found[at]
      const known = await readUncached(stores, userId, one ? await cache.complete(userId, one) : null)
      outcomes[at] = known ? responseOf(known.profile) : unknown
    } catch (error) {
      outcomes[at] = errorOf(error, at)
    }
  }
  const uncached: Promise<void>[] = []
  for (const [at, userId] of userIds.entries()) {
    const response = found[at]?.response
    if (response === undefined) uncached.push(readAlone(userId, at))
    else outcomes[at] = response
  }
  await Promise.all(uncached)
}
