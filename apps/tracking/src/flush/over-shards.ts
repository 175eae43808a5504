import { ApiError } from '@palanquin/service/http/api-error'
import PQueue from 'p-queue'
import type { Pace } from './pace.ts'

/**
 * The sum of what the work on each shard gives, and what failed: a shard whose rows cannot be worked on holds up no other.
 * @throws StoreUnavailable when a store is away, after the work under way has ended
 */
export async function sumOverShards(
  shards: readonly number[],
  pace: Pace,
  work: (shard: number) => Promise<number>,
): Promise<{ sum: number; failures: unknown[] }> {
  const queue = new PQueue({ concurrency: pace.shardsAtOnce })
  void pace.hurried.then(() => {
    queue.concurrency = pace.shardsAtOnce
  })
  const failures: unknown[] = []
  let away: ApiError | undefined
  let sum = 0
  const add = async (shard: number): Promise<void> => {
    if (away) return
    try {
      const done = await work(shard)
      sum += done // not `sum += await …`: that reads the sum before the other shards have added to it
    } catch (error) {
      if (error instanceof ApiError) away = error
      else failures.push(error)
    }
  }
  await queue.addAll(shards.map((shard) => () => add(shard)))
  if (away) throw away
  return { sum, failures }
}
