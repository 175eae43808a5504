import type { Settings } from './settings.ts'

/** Other processes depend on these settings; changing them takes a `down` and an `up`. */
const FROZEN = [
  'COPIES',
  'DATABASE_URL',
  'REDIS_URL',
  'S3_ENDPOINT',
  'PUBLIC_ADDRESS',
  'TRUST_PROXY',
  'EVENT_BRAND',
]

/** The new settings, except for those that other running processes depend on. */
export function withoutFrozenChanges(before: Settings, now: Settings): Settings {
  const isFrozen = ([name]: [string, string]) => FROZEN.includes(name)
  const changed = Object.entries(now).filter((entry) => !isFrozen(entry))
  return Object.fromEntries([...changed, ...Object.entries(before).filter(isFrozen)])
}
