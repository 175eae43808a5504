import { StoredSettings } from '@palanquin/domain/settings'
import { Compile } from 'typebox/compile'
import { withDeadline } from './deadline.ts'
import type { Log } from './log.ts'
import type { Redis } from './redis.ts'
import type { Part } from './run.ts'
import { schedule } from './schedule.ts'

/** JSON of `StoredSettings`, written by engagement. */
export const SETTINGS_KEY = 'settings'

/** With the half second of engagement's projection a change is everywhere within two seconds. */
const READ_EVERY_MS = 1_000
const READ_DEADLINE_MS = 500

const stored = Compile(StoredSettings)

/** What was set by the owners; what is missing in it, the environment says. */
export type EventSettings = { get: () => StoredSettings }

export function readSettings(raw: string | null): StoredSettings | null {
  try {
    const value: unknown = JSON.parse(raw ?? 'null')
    return stored.Check(value) ? value : null
  } catch {
    return null // engagement writes the key again within half a second
  }
}

/** Follows the owners' settings. While Redis is away the last known ones hold. */
export function followSettings({ redis, log }: { redis: Redis; log: Log }): EventSettings & Part {
  let known: StoredSettings = {}
  const read = async (): Promise<void> => {
    try {
      const raw = await withDeadline(redis.get(SETTINGS_KEY), { what: 'Redis', deadlineMs: READ_DEADLINE_MS })
      known = readSettings(raw) ?? known
    } catch (error) {
      log.debug({ event: 'settings.unreadable', reason: String(error) }, 'Settings could not be read')
    }
  }
  const reading = schedule(log, [{ name: 'settings', everyMs: READ_EVERY_MS, run: read }])
  return { ...reading, name: 'settings', get: () => known }
}

type EventVariables = { EVENT_NAME_ZH: string; EVENT_NAME_EN: string; PUBLIC_BASE_URL?: string | undefined }
type LiffVariable = { LIFF_URL?: string | undefined }

/** A configuration whose event name and addresses follow the owners' settings at each reading. */
export function withEventSettings<C extends EventVariables & LiffVariable>(
  config: C,
  { get }: EventSettings,
): C {
  const of = <T>(read: () => T): PropertyDescriptor => ({ get: read, enumerable: true })
  return Object.defineProperties(
    { ...config },
    {
      EVENT_NAME_ZH: of(() => get().name?.zh ?? config.EVENT_NAME_ZH),
      EVENT_NAME_EN: of(() => get().name?.en ?? config.EVENT_NAME_EN),
      PUBLIC_BASE_URL: of(() => get().publicBaseUrl ?? config.PUBLIC_BASE_URL),
      LIFF_URL: of(() => get().liffUrl ?? config.LIFF_URL),
    },
  )
}

/** The name of the event by language, read from such a configuration at each use. */
export const eventNameOf = (config: Pick<EventVariables, 'EVENT_NAME_ZH' | 'EVENT_NAME_EN'>) => ({
  get 'zh-TW'() {
    return config.EVENT_NAME_ZH
  },
  get en() {
    return config.EVENT_NAME_EN
  },
})
