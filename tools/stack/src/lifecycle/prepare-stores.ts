import { migrateDatabase, UnfitDatabase } from '@palanquin/db/migrate'
import { buildOf } from '@palanquin/service/build'
import { LauncherError } from '../launcher-error.ts'
import { commitOf, PROJECT_ROOT } from '../project.ts'
import type { Home } from '../run-state/home.ts'
import { serviceCredentials } from '../settings/service-credentials.ts'
import type { ServiceCredentials } from '../settings/service-environment.ts'
import type { Settings } from '../settings/settings.ts'
import type { ServerAddresses } from '../units/external-stores.ts'
import { redisProblemAt } from '../units/store-problems.ts'

type Options = { home: Home; settings: Settings; addresses: ServerAddresses }

/**
 * Makes the stores ready for the services of this program: its schema, and a user for each. Changes of the schema only
 * add to it, so services that run go on.
 * @throws LauncherError when a store does not serve this program, or cannot be reached
 */
export async function prepareStores({ home, settings, addresses }: Options): Promise<ServiceCredentials> {
  const problem = await redisProblemAt(addresses.redisUrl)
  if (problem) throw new LauncherError(problem)
  await migrate(addresses.databaseUrl)
  return await serviceCredentials(home, settings, addresses)
}

async function migrate(databaseUrl: string): Promise<void> {
  try {
    await migrateDatabase(databaseUrl, { build: buildOf({ BUILD_COMMIT: commitOf(PROJECT_ROOT) }) })
  } catch (error) {
    if (error instanceof UnfitDatabase) throw new LauncherError(error.message)
    throw new LauncherError(
      `The database could not be migrated: ${error instanceof Error ? error.message : error}. If it is your own (DATABASE_URL), check that it is reachable and that its user may create schemas.`,
    )
  }
}
