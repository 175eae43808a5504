import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type postgres from 'postgres'

/** Where a text was found, for a person to read: `table engagement.roles`, `key {s03}:dup:…`, `file journal/1.log`. */
export type Found = string

const SCAN_KEYS = '1000'

/** Every row of every table of a database that holds one of the texts in any column. */
export async function searchPostgres(sql: postgres.Sql, texts: readonly string[]): Promise<Found[]> {
  const tables = await sql<{ name: string }[]>`
    SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`
  const found: Found[] = []
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ text: string }[]>(
      `SELECT t::text AS text FROM ${name} AS t WHERE EXISTS (
         SELECT FROM unnest($1::text[]) AS needle WHERE strpos(t::text, needle) > 0)`,
      [[...texts]],
    )
    for (const { text } of rows) found.push(`table ${name}: ${text}`)
  }
  return found
}

/** Every key of a Redis that holds one of the texts, in its name or in what it holds, whatever its type. */
export async function searchRedis(urls: string, texts: readonly string[]): Promise<Found[]> {
  const nodes = urls.split(',')
  return (await Promise.all(nodes.map((url) => searchNode(url, texts, nodes.length > 1)))).flat()
}

async function searchNode(url: string, texts: readonly string[], ofCluster: boolean): Promise<Found[]> {
  const redis = new Bun.RedisClient(url)
  try {
    if (ofCluster) await redis.send('READONLY', []) // a replica would send the question on
    return await searchKeys(redis, texts)
  } finally {
    redis.close()
  }
}

async function searchKeys(redis: Bun.RedisClient, texts: readonly string[]): Promise<Found[]> {
  const found: Found[] = []
  let cursor = '0'
  do {
    const [next, keys]: [string, string[]] = await redis.send('SCAN', [cursor, 'COUNT', SCAN_KEYS])
    for (const key of keys) {
      const content = `${key} ${await contentOf(redis, key)}`
      if (texts.some((text) => content.includes(text))) found.push(`key ${content.slice(0, 300)}`)
    }
    cursor = next
  } while (cursor !== '0')
  return found
}

/** By type; a key that is gone by now, or of a type that is not used, is empty. */
async function contentOf(redis: Bun.RedisClient, key: string): Promise<string> {
  const type = String(await redis.send('TYPE', [key]))
  const command: Record<string, string[]> = {
    string: ['GET', key],
    list: ['LRANGE', key, '0', '-1'],
    set: ['SMEMBERS', key],
    zset: ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
    hash: ['HGETALL', key],
    stream: ['XRANGE', key, '-', '+'],
  }
  const [name, ...args] = command[type] ?? []
  if (name === undefined) {
    if (type === 'none') return ''
    throw new Error(`cannot search a Redis key of the type ${type}`)
  }
  return JSON.stringify(await redis.send(name, args))
}

/** Every file below a folder that holds one of the texts, in its name or anywhere in it. */
export function searchFiles(
  folder: string,
  texts: readonly string[],
  { except = [] as readonly string[] } = {},
): Found[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (except.includes(entry.name)) return []
    if (entry.isDirectory()) return searchFiles(path, texts)
    if (!entry.isFile()) return []
    const bytes = readFileSync(path)
    return texts.some((text) => path.includes(text) || bytes.includes(text)) ? [`file ${path}`] : []
  })
}
