import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder, renameDurably, syncTree } from '@palanquin/files/durable'
import { connectObjects } from '@palanquin/objects/objects'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { type ProgressSink, step } from '@palanquin/stack/progress'
import postgres, { type Sql } from 'postgres'
import type { Access } from './access.ts'
import { FILE_MODE, FOLDER_MODE } from './lines.ts'
import { MANIFEST, type Manifest, manifestFormat, SECRETS, secretsText } from './manifest.ts'
import { OBJECTS_FILE, saveObjects } from './objects.ts'
import { openRedis, saveStreams, streamFile, unfinishedFrom } from './streams.ts'
import { daysOf, migrationsOf, pointsOf, saveTables } from './tables.ts'

/** A full buffer of an hour at 10,000 points/s is stored in five minutes. */
const FLUSH_MS_MAX = 600_000

/** Objects that a row refers to; all others are being uploaded or deleted. */
const OBJECT_KEYS = `
SELECT object_key AS key FROM media.photos
UNION SELECT object_key FROM media.screenshots
UNION SELECT object_key FROM media.cards ORDER BY key`

/** Writes a backup of a running stack into `folder`, which appears once it is complete. */
export async function saveBackup(
  access: Access,
  folder: string,
  { flush, progress }: { flush: boolean; progress: ProgressSink },
): Promise<Manifest> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new LauncherError(`${folder} is not empty: a backup needs a new or empty folder.`)
  const draft = `${folder}.partial`
  rmSync(draft, { recursive: true, force: true })
  makeFolder(dirname(draft))
  mkdirSync(draft, { mode: FOLDER_MODE })
  const redis = await reached('Redis', openRedis(access.redisUrl))
  const sql = postgres(access.databaseUrl, { max: 1, connect_timeout: 5, onnotice: () => {} })
  const objects = connectObjects(access.objects)
  try {
    if (flush) await step(progress, 'Flushing the buffer', () => flushed(access))
    const from = await unfinishedFrom(redis)
    const rows = await step(progress, 'PostgreSQL', () => snapshot(sql, draft))
    const streams = await step(progress, 'Events under way', () => saveStreams(redis, draft, from))
    // After the rows: an object is stored before its row, so every object that a row names exists.
    const saved = await step(progress, 'Objects', (detail) =>
      saveObjects(objects, draft, rows.keys, (done) => detail(`${done} of ${rows.keys.length}`)),
    )
    const secrets = secretsText(access.pseudonymSecret)
    const manifest: Manifest = {
      format: manifestFormat,
      ...rows.manifest,
      objects: { count: saved.written.lines, bytes: saved.bytes },
      streams: streams.map(({ key, written }) => ({ key, entries: written.lines })),
      files: {
        ...rows.files,
        ...Object.fromEntries(streams.map(({ key, written }) => [streamFile(key), written.sha256])),
        [OBJECTS_FILE]: saved.written.sha256,
        [SECRETS]: createHash('sha256').update(secrets).digest('hex'),
      },
    }
    keep(draft, SECRETS, secrets)
    keep(draft, MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`)
    syncTree(draft)
    renameDurably(draft, folder)
    return manifest
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  } finally {
    redis.destroy()
    objects.close()
    await sql.end({ timeout: 1 })
  }
}

const keep = (folder: string, name: string, text: string): void =>
  writeFileSync(join(folder, name), text, { mode: FILE_MODE })

async function flushed({ tracking }: Access): Promise<void> {
  if (!tracking)
    throw new LauncherError(
      'TRACKING_URL and INTERNAL_TOKEN are not set, so the buffer cannot be flushed first; --no-flush makes a backup without it.',
    )
  for (const url of tracking.urls) {
    const why = await problemOfFlush(url, tracking.internalToken)
    if (why !== undefined)
      throw new LauncherError(
        `The buffer could not be flushed (${why}). ./palanquin status shows what is down; --no-flush makes a backup without the buffer.`,
      )
  }
}

/** Makes a tracking process flush its journal and the buffer; returns what went wrong, if anything. */
function problemOfFlush(url: string, internalToken: string): Promise<string | undefined> {
  return fetch(`${url}/internal/flush`, {
    method: 'POST',
    headers: { [INTERNAL_TOKEN_HEADER]: internalToken, 'content-type': 'application/json' },
    // People may be walking meanwhile.
    body: JSON.stringify({ gently: true }),
    signal: AbortSignal.timeout(FLUSH_MS_MAX),
  }).then(
    async (answer) => (answer.ok ? undefined : `${answer.status} ${await answer.text()}`),
    (error: Error) => error.message,
  )
}

/** All of PostgreSQL, from one snapshot. */
function snapshot(sql: Sql, folder: string) {
  // When a backend dies here, the command fails, and an incomplete backup never gets its name.
  return sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (transaction) => {
    const [at] = await transaction<{ now: string }[]>`SELECT to_json(now())#>>'{}' AS now`
    const migrations = await migrationsOf(transaction)
    const days = await daysOf(transaction)
    const { tables, files } = await saveTables(transaction, folder)
    const points = await pointsOf(transaction)
    const keys = (await transaction.unsafe<{ key: string }[]>(OBJECT_KEYS)).map(({ key }) => key)
    return { manifest: { takenAt: at?.now ?? '', migrations, days, tables, points }, files, keys }
  })
}

/** @throws LauncherError naming the store that is unavailable */
export async function reached<T>(store: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new LauncherError(
      `${store} does not answer (${error instanceof Error ? error.message : error}): ./palanquin status shows more.`,
    )
  }
}
