import { objectsAccess, objectsProblems } from '@palanquin/objects/access'
import type { ObjectsAccess } from '@palanquin/objects/objects'
import { listOf } from '@palanquin/service/config'
import { notRunningMessage } from '@palanquin/stack/command-text'
import { LauncherError } from '@palanquin/stack/launcher-error'
import type { Home } from '@palanquin/stack/run-state/home'
import { readRunFile } from '@palanquin/stack/run-state/run-file'
import { keptPseudonymSecret } from '@palanquin/stack/settings/secrets'
import type { Settings } from '@palanquin/stack/settings/settings'

const COPY_OF_TRACKING = /^tracking(-\d+)?$/

/** The stores that a backup reads, and PSEUDONYM_SECRET. */
export type Access = {
  databaseUrl: string
  redisUrl: string
  objects: ObjectsAccess
  pseudonymSecret: string
  /** Every copy of tracking; each has its own journal. */
  tracking: { urls: readonly string[]; internalToken: string } | undefined
}

/**
 * The stores of a running home, or, where the settings name all of them, those (a containerised deployment).
 * @throws LauncherError when there are neither
 */
export function accessOf(home: Home, settings: Settings): Access {
  const run = readRunFile(home)
  if (run) {
    const urls = Object.entries(run.services).flatMap(([name, { url }]) =>
      COPY_OF_TRACKING.test(name) && url !== undefined ? [url] : [],
    )
    return {
      databaseUrl: run.databaseUrl,
      redisUrl: run.redisUrl,
      objects: run.s3 ?? { folder: run.objectsFolder ?? home.objects },
      // The secret that the stack started with, whatever this shell has set.
      pseudonymSecret: known(keptPseudonymSecret(home) ?? settings.PSEUDONYM_SECRET),
      tracking: urls.length === 0 ? undefined : { urls, internalToken: run.internalToken },
    }
  }
  const { DATABASE_URL, REDIS_URL, TRACKING_URL, INTERNAL_TOKEN } = settings
  if (!DATABASE_URL || !REDIS_URL || objectsProblems(settings).length > 0)
    throw new LauncherError(notRunningMessage(home), 3)
  return {
    databaseUrl: DATABASE_URL,
    redisUrl: REDIS_URL,
    pseudonymSecret: known(settings.PSEUDONYM_SECRET ?? keptPseudonymSecret(home)),
    objects: objectsAccess(settings),
    tracking:
      TRACKING_URL && INTERNAL_TOKEN
        ? { urls: listOf(TRACKING_URL), internalToken: INTERNAL_TOKEN }
        : undefined,
  }
}

function known(pseudonymSecret: string | undefined): string {
  if (pseudonymSecret) return pseudonymSecret
  throw new LauncherError(
    'PSEUDONYM_SECRET is missing: a backup without it would give every participant another pseudonym.',
  )
}
