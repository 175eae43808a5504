import { migrateDatabase } from '@palanquin/db/migrate'
import { connectObjects } from '@palanquin/objects/objects'
import { commandFor } from '@palanquin/stack/command-text'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { acquireHome, releaseHome } from '@palanquin/stack/lifecycle/home-lock'
import { type ProgressSink, step } from '@palanquin/stack/progress'
import { type Home, openHome } from '@palanquin/stack/run-state/home'
import { keepPseudonymSecret } from '@palanquin/stack/settings/secrets'
import type { Settings } from '@palanquin/stack/settings/settings'
import type { StoreAddresses } from '@palanquin/stack/units/external-stores'
import { openStores } from '@palanquin/stack/units/stores'
import type { Running } from '@palanquin/stack/units/unit'
import postgres, { type Sql } from 'postgres'
import { checkFiles, type Manifest, readManifest, savedSecret } from './manifest.ts'
import { loadObjects } from './objects.ts'
import { reached } from './save.ts'
import { loadStreams, openRedis } from './streams.ts'
import { loadTables, migrationsOf } from './tables.ts'

/** A row in any of these means that the home is in use: a restore never overwrites. */
const LIVED_IN = `
SELECT EXISTS (SELECT FROM engagement.participants) OR EXISTS (SELECT FROM tracking.tracks)
    OR EXISTS (SELECT FROM tracking.all_points) OR EXISTS (SELECT FROM engagement.feedback)
    OR EXISTS (SELECT FROM line.users) OR EXISTS (SELECT FROM media.screenshots) AS "livedIn"`

type Options = { home: Home; folder: string; settings: Settings; progress: ProgressSink; signal: AbortSignal }

/** Fills the stores of a stopped home with an empty PostgreSQL from a backup. */
export async function restoreBackup({
  home,
  folder,
  settings,
  progress,
  signal,
}: Options): Promise<Manifest> {
  const manifest = readManifest(folder)
  await step(progress, 'Checking the backup', () => checkFiles(folder, manifest))
  openHome(home)
  const other = await acquireHome(home)
  if (other)
    throw new LauncherError(
      `This home is running (process ${other.pid}): run ${commandFor(home, 'down')} first, then restore.`,
      1,
    )
  const stores = openStores(home, settings)
  const running: Running[] = []
  try {
    await step(progress, stores.title || 'Stores', async (detail) => {
      const started = await Promise.allSettled(stores.units.map((unit) => unit.start({ detail, signal })))
      for (const one of started) if (one.status === 'fulfilled') running.push(one.value)
      for (const one of started) if (one.status === 'rejected') throw one.reason
    })
    await fill(stores.addresses(), {
      folder,
      manifest,
      progress,
      secrets: () => keepSecret(home, folder, settings),
    })
    return manifest
  } finally {
    for (const one of running) await one.stop()
    releaseHome(home)
  }
}

type Filling = { folder: string; manifest: Manifest; progress: ProgressSink; secrets: () => void }

async function fill(stores: StoreAddresses, { folder, manifest, progress, secrets }: Filling): Promise<void> {
  const sql = postgres(stores.databaseUrl, { max: 1, connect_timeout: 5, onnotice: () => {} })
  const objects = connectObjects(stores.objects)
  const redis = await reached('Redis', openRedis(stores.redisUrl))
  try {
    await step(progress, 'Migrations', () => migrateDatabase(stores.databaseUrl))
    await assertFits(sql, manifest)
    secrets()
    await step(progress, 'Objects', (detail) =>
      loadObjects(objects, folder, (done) => detail(`${done} of ${manifest.objects.count}`)),
    )
    await step(progress, 'Events under way', () =>
      loadStreams(
        redis,
        folder,
        manifest.streams.map(({ key }) => key),
      ),
    )
    // Last and in one transaction: until it commits, the restore can be repeated.
    await step(progress, 'PostgreSQL', () =>
      sql.begin((transaction) => loadTables(transaction, folder, manifest)),
    )
    await sql`ANALYZE`
  } finally {
    redis.destroy()
    objects.close()
    await sql.end({ timeout: 1 })
  }
}

async function assertFits(sql: Sql, manifest: Manifest): Promise<void> {
  const [found] = await sql.unsafe<{ livedIn: boolean }[]>(LIVED_IN)
  if (found?.livedIn)
    throw new LauncherError(
      'This database already has participants: restore into an empty one (--home DIR makes a new home).',
    )
  if (`${await migrationsOf(sql)}` !== `${manifest.migrations}`)
    throw new LauncherError(
      'The backup is of another version of this project, whose tables are different: restore it with that version, then start this one, which migrates it.',
    )
}

/** The restored map keeps its pseudonyms. */
function keepSecret(home: Home, folder: string, settings: Settings): void {
  const saved = savedSecret(folder)
  const set = settings.PSEUDONYM_SECRET
  if (set !== undefined && set.trim() !== saved)
    throw new LauncherError(
      'PSEUDONYM_SECRET is set to another value than that of the backup, and every participant would get another pseudonym: remove it from the settings, or set the one of secrets.env.',
    )
  keepPseudonymSecret(home, saved)
}
