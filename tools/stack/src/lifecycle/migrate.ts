import { migrateDatabase } from '@palanquin/db/migrate'
import { LauncherError } from '../launcher-error.ts'

/** Applies all migrations. @throws LauncherError when the database cannot be reached or refuses them */
export async function migrate(databaseUrl: string): Promise<void> {
  try {
    await migrateDatabase(databaseUrl)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new LauncherError(
      `The database could not be migrated: ${cause instanceof Error ? cause.message : cause}. If it is your own (DATABASE_URL), check that it is reachable and that its user may create schemas.`,
    )
  }
}
