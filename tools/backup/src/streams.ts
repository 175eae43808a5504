import { join } from 'node:path'
import { DEAD_KEY, STREAM_KEY } from '@palanquin/events/stream'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import Type from 'typebox'
import Value from 'typebox/value'
import { readLines, type Written, writeLines } from './lines.ts'

/** Published and not yet consumed: events between services, messages of the chat. */
const STREAMS = [STREAM_KEY, DEAD_KEY, '{line}:inbox', '{line}:dead']
const ENTRIES_PER_READ = 500
const CONNECT_MS_MAX = 5_000
const CONNECT_LOOK_MS = 10

const Entry = Type.Object({ id: Type.String(), message: Type.Record(Type.String(), Type.String()) })

/** One server or a cluster. @throws when Redis does not answer */
export async function openRedis(url: string): Promise<Redis> {
  const redis = connectRedis({
    url,
    name: 'operator',
    log: createLog({ service: 'operator', level: 'silent' }),
  })
  const deadline = performance.now() + CONNECT_MS_MAX
  while (!redis.isReady && performance.now() < deadline) await Bun.sleep(CONNECT_LOOK_MS)
  if (redis.isReady) return redis
  redis.destroy()
  throw new Error(`no connection within ${CONNECT_MS_MAX / 1_000} s`)
}

export const streamFile = (key: string): string =>
  `redis/${key.replace(/[{}]/g, '').replace(':', '.')}.ndjson.gz`

/** The position from which each stream holds unfinished entries. */
export async function unfinishedFrom(redis: Redis): Promise<Map<string, string>> {
  const from = new Map<string, string>()
  for (const key of STREAMS) from.set(key, await oldestUnfinished(redis, key))
  return from
}

/** Before every entry of streams without consumer groups: dead letters wait for an operator. */
async function oldestUnfinished(redis: Redis, key: string): Promise<string> {
  if ((await redis.exists(key)) === 0) return '-'
  const groups = await redis.xInfoGroups(key)
  let oldest: string | undefined
  for (const group of groups) {
    const { firstId } = await redis.xPending(key, group.name)
    const from = firstId ?? `(${group['last-delivered-id']}`
    if (oldest === undefined || isBefore(from, oldest)) oldest = from
  }
  return oldest ?? '-'
}

function isBefore(one: string, other: string): boolean {
  const [oneMs = 0, oneNumber = 0] = one.replace('(', '').split('-').map(Number)
  const [otherMs = 0, otherNumber = 0] = other.replace('(', '').split('-').map(Number)
  return oneMs === otherMs ? oneNumber < otherNumber : oneMs < otherMs
}

/** Writes what each stream holds from that position on. */
export async function saveStreams(
  redis: Redis,
  folder: string,
  from: ReadonlyMap<string, string>,
): Promise<{ key: string; written: Written }[]> {
  const saved = []
  for (const [key, start] of from)
    saved.push({
      key,
      written: await writeLines(join(folder, streamFile(key)), entriesFrom(redis, key, start)),
    })
  return saved
}

async function* entriesFrom(redis: Redis, key: string, start: string): AsyncGenerator<string> {
  for (let after = start; ; ) {
    const entries = (await redis.xRange(key, after, '+', { COUNT: ENTRIES_PER_READ })) ?? []
    for (const { id, message } of entries) yield JSON.stringify({ id, message })
    const last = entries.at(-1)
    if (!last || entries.length < ENTRIES_PER_READ) return
    after = `(${last.id}`
  }
}

/** Publishes the events of a backup again; consumers that had the effect already ignore them. */
export async function loadStreams(redis: Redis, folder: string, keys: readonly string[]): Promise<void> {
  for (const key of keys)
    for await (const line of readLines(join(folder, streamFile(key)))) {
      const { message } = Value.Parse(Entry, JSON.parse(line))
      await redis.xAdd(key, '*', message)
    }
}
