import type { Objects } from '@palanquin/objects/objects'
import type { Log } from '@palanquin/service/log'
import { IMPORTS_PREFIX } from '../imports/accept.ts'
import { PHOTOS_PREFIX } from '../photos/add.ts'
import { SCREENSHOTS_PREFIX } from '../uploads/upload.ts'
import type { DiscardedStore } from './store.ts'

/** An upload writes its row within seconds of its object; after a day nothing can be under way. */
const UNKNOWN_AGE_MS = 24 * 3_600_000

/** A page uploads a picture just before it sends what names it, again after each failure. */
const ABANDONED_AGE_S = 24 * 3_600

type Stores = { store: DiscardedStore; objects: Pick<Objects, 'remove' | 'list'>; log: Log }

/** Deletes the objects of deleted rows. @returns how many @throws StoreUnavailable: the next sweep goes on */
export async function sweepDiscarded({ store, objects }: Stores): Promise<number> {
  let swept = 0
  for (;;) {
    const keys = await store.read()
    if (keys.length === 0) return swept
    await objects.remove(keys)
    await store.forget(keys)
    swept += keys.length
  }
}

/** Deletes objects whose row was never written (a bucket is of one installation). @throws StoreUnavailable */
export async function sweepUnknown(
  { store, objects, log }: Stores,
  { nowMs, ageMs = UNKNOWN_AGE_MS }: { nowMs: number; ageMs?: number },
): Promise<number> {
  let swept = 0
  for (const prefix of [SCREENSHOTS_PREFIX, PHOTOS_PREFIX, IMPORTS_PREFIX]) {
    for await (const page of objects.list(prefix)) {
      const old = page.filter(({ modifiedAtMs }) => modifiedAtMs <= nowMs - ageMs)
      const unknown = old.length === 0 ? [] : await store.unknown(old.map(({ key }) => key))
      await objects.remove(unknown)
      swept += unknown.length
    }
  }
  if (swept > 0)
    log.info({ event: 'unknown_objects.deleted', objects: swept }, 'Objects without a row were deleted')
  return swept
}

/** Deletes screenshots that no feedback and no case names. @returns how many @throws StoreUnavailable */
export async function sweepAbandoned(stores: Stores): Promise<number> {
  await stores.store.abandon(ABANDONED_AGE_S)
  return sweepDiscarded(stores)
}
