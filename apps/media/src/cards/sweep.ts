import type { Objects } from '@palanquin/objects/objects'
import type { CardStore } from './store.ts'

/** Longer than a card may be shown without a new request, and than any process takes to store one. */
const GRACE_S = 600
const BATCH = 500

/** Deletes the objects of cards that were replaced or left by a crash. @returns how many */
export async function sweepCards(
  { store, objects }: { store: Pick<CardStore, 'doom' | 'forget'>; objects: Pick<Objects, 'remove'> },
  { graceS = GRACE_S } = {},
): Promise<number> {
  for (let swept = 0; ; ) {
    const keys = await store.doom(graceS, BATCH)
    if (keys.length > 0) {
      await objects.remove(keys)
      await store.forget(keys)
    }
    swept += keys.length
    if (keys.length < BATCH) return swept
  }
}
