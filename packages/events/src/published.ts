import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { publishedKey, REDIS_DEADLINE_MS } from './stream.ts'

/**
 * The note in Redis of which rows of an outbox the bus has and how long, by the time of Redis itself. It is written in one
 * step with the events, so that a Redis that comes back without its latest second lacks both.
 */
const READ = `
local time = redis.call('TIME')
local settledMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) - tonumber(ARGV[1])
return {
  redis.call('ZRANGE', KEYS[1], '-inf', string.format('%.0f', settledMs), 'BYSCORE'),
  redis.call('ZRANGE', KEYS[1], string.format('(%.0f', settledMs), '+inf', 'BYSCORE'),
}`

/** `settled` (rows' `seq`) is on the disk of Redis too; of `recent` that is not known yet. */
export type Published = { settled: string[]; recent: string[] }

const soon = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(work, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })

/** Which rows were published. @throws when Redis is away */
export async function readPublished(
  redis: Redis,
  schema: string,
  settledAfterMs: number,
): Promise<Published> {
  const options = { keys: [publishedKey(schema)], arguments: [String(settledAfterMs)] }
  const answer: unknown = await soon(redis.eval(READ, options))
  const [settled, recent] = Array.isArray(answer) ? answer : []
  return { settled: textsOf(settled), recent: textsOf(recent) }
}

/** Forgets rows that are gone from the outbox. @throws when Redis is away */
export async function forgetPublished(redis: Redis, schema: string, seqs: readonly string[]): Promise<void> {
  await soon(redis.zRem(publishedKey(schema), [...seqs]))
}

const textsOf = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : [])
