import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_CONSENT } from '@palanquin/domain/consent'
import { DENSITY_COUNT_MIN } from '@palanquin/domain/density'
import type { Role } from '@palanquin/domain/role'
import type { Settings, SettingsPatch, StoredSettings } from '@palanquin/domain/settings'
import { INSTANT_EXPECTED, parseInstant, toIso } from '@palanquin/domain/time'
import { withDeadline } from '@palanquin/service/deadline'
import { readSettings, SETTINGS_KEY } from '@palanquin/service/event-settings'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { compareAndSet } from '../activity/compare-and-set.ts'
import type { EventFacts } from '../activity/public.ts'
import type { SettingsStore } from './store.ts'

const REDIS_DEADLINE_MS = 500
/** Each lost attempt is a concurrent change. */
const TRIES_MAX = 3

export type OwnersSettings = ReturnType<typeof ownersSettings>

/** What the owners set over the environment, in memory and copied from PostgreSQL into Redis. */
export function ownersSettings({
  store,
  redis,
  event,
  log,
  redisDeadlineMs: deadlineMs = REDIS_DEADLINE_MS,
}: {
  store: SettingsStore
  redis: Redis
  event: EventFacts
  log: Log
  redisDeadlineMs?: number | undefined
}) {
  let known: StoredSettings | null = null
  const reach = <T>(work: Promise<T>) => withDeadline(work, { what: 'Redis', deadlineMs })

  /** The key is compared when set, so that no older row replaces a newer one. */
  const project = async (): Promise<void> => {
    let raw: string | null | undefined
    try {
      raw = await reach(redis.get(SETTINGS_KEY))
    } catch (error) {
      log.debug(
        { event: 'settings.redis_unavailable', reason: String(error) },
        'Settings are read without Redis',
      )
    }
    try {
      known = await store.read()
    } catch (error) {
      known ??= readSettings(raw ?? null)
      throw error
    }
    const to = JSON.stringify(known)
    if (raw !== undefined && raw !== to) await reach(compareAndSet(redis, SETTINGS_KEY, { from: raw, to }))
  }

  return {
    project,
    /** The event as it is now: what was set, else what the environment says. */
    facts: (): EventFacts => factsOf(event, known ?? {}),
    consent: () => settingsOf(event, known ?? {}).consent,
    publicBaseUrl: () => settingsOf(event, known ?? {}).publicBaseUrl,
    /** @throws StoreUnavailable */
    read: async (): Promise<Settings> => settingsOf(event, await store.read()),
    /** Changes the settings, or says what is wrong and changes nothing. @throws StoreUnavailable */
    change: async (patch: SettingsPatch, by: Role): Promise<Settings | ApiError> => {
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const before = await store.read()
        const after = patched(before, patch)
        if (after instanceof ApiError) return after
        const { startsAtMs, endsAtMs } = factsOf(event, after)
        if (startsAtMs !== null && endsAtMs !== null && endsAtMs <= startsAtMs)
          return new ApiError('invalid', 'endsAt: expected a time after startsAt')
        const isSame = isDeepStrictEqual(after, before)
        if (!isSame && !(await store.change(before, after, by))) continue
        known = after
        await project().catch((error: Error) =>
          log.debug(
            { event: 'settings.projection_failed', reason: error.message },
            'Settings are projected by the schedule',
          ),
        )
        return settingsOf(event, after)
      }
      return new ApiError(
        'unavailable',
        'Somebody else is changing the settings right now; please try again.',
      )
    },
  }
}

/** The stored settings with a patch applied: null takes one back to the environment. */
function patched(before: StoredSettings, patch: SettingsPatch): StoredSettings | ApiError {
  const { startsAt, endsAt, ...others } = patch
  const times: { startsAt?: string | null; endsAt?: string | null } = {}
  for (const [name, input] of [
    ['startsAt', startsAt],
    ['endsAt', endsAt],
  ] as const) {
    if (input === undefined) continue
    const ms = input === null ? null : parseInstant(input)
    if (input !== null && ms === null) return new ApiError('invalid', `${name}: expected ${INSTANT_EXPECTED}`)
    times[name] = ms === null ? null : toIso(ms)
  }
  const merged: Record<string, unknown> = { ...before, ...others, ...times }
  const kept = Object.entries(merged).filter(([, value]) => (value ?? null) !== null)
  return Object.fromEntries(kept)
}

/** The event of the environment with what was set over it. */
function factsOf(
  event: EventFacts,
  { name, startsAt, endsAt, consent, publicBaseUrl }: StoredSettings,
): EventFacts {
  return {
    ...event,
    name: name ?? event.name,
    startsAtMs: startsAt === undefined ? event.startsAtMs : Date.parse(startsAt),
    endsAtMs: endsAt === undefined ? event.endsAtMs : Date.parse(endsAt),
    consentVersion: consent?.version ?? event.consentVersion,
    publicBaseUrl: publicBaseUrl ?? event.publicBaseUrl,
  }
}

function settingsOf(event: EventFacts, stored: StoredSettings): Settings {
  const { name, startsAtMs, endsAtMs, consentVersion } = factsOf(event, stored)
  return {
    name,
    startsAt: startsAtMs === null ? null : toIso(startsAtMs),
    endsAt: endsAtMs === null ? null : toIso(endsAtMs),
    consent: stored.consent ?? { version: consentVersion, ...DEFAULT_CONSENT },
    densityMin: stored.densityMin ?? DENSITY_COUNT_MIN,
    publicBaseUrl: stored.publicBaseUrl ?? event.publicBaseUrl,
    liffUrl: stored.liffUrl ?? event.liffUrl,
  }
}
