import type { Log } from '@palanquin/service/log'
import type { Objects } from '../objects.ts'
import { PHOTOS_PREFIX } from '../photos/add.ts'
import { SCREENSHOTS_PREFIX } from '../uploads/upload.ts'
import type { DiscardedStore } from './store.ts'

/** An upload writes its row within seconds of its object; a day is nobody's upload any more. */
const UNKNOWN_AGE_MS = 24 * 3_600_000

type Stores = { store: DiscardedStore; objects: Pick<Objects, 'remove' | 'list'>; log: Log }

/**
 * Deletes the objects of rows that were deleted. May be done twice.
 * @returns how many
 * @throws StoreUnavailable; what is left is deleted by the next sweep
 */
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

/**
 * Deletes objects of screenshots and photos whose row never came to be: the process died, or the database did not
 * answer, between the two. A bucket therefore belongs to one installation alone.
 * @returns how many
 * @throws StoreUnavailable
 */
export async function sweepUnknown(
  { store, objects, log }: Stores,
  { nowMs, ageMs = UNKNOWN_AGE_MS }: { nowMs: number; ageMs?: number },
): Promise<number> {
  let swept = 0
  for (const prefix of [SCREENSHOTS_PREFIX, PHOTOS_PREFIX]) {
    for await (const page of objects.list(prefix)) {
      const old = page.filter(({ modifiedAtMs }) => modifiedAtMs <= nowMs - ageMs)
      const unknown = old.length === 0 ? [] : await store.unknown(old.map(({ key }) => key))
      await objects.remove(unknown)
      swept += unknown.length
    }
  }
  if (swept > 0) log.info({ objects: swept }, 'objects that no row knew were deleted')
  return swept
}
