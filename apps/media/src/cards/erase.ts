import type { Objects } from '@palanquin/objects/objects'
import { folderOf } from './key.ts'
import type { CardStore } from './store.ts'

export type ErasedCards = { cards: number; cardPictures: number }

/** Erases the cards of a participant: rows, and every object in their folder. Idempotent. */
export async function eraseCards(
  userId: string,
  {
    store,
    objects,
    secret,
  }: { store: Pick<CardStore, 'erase'>; objects: Pick<Objects, 'remove' | 'list'>; secret: string },
): Promise<ErasedCards> {
  const rows = await store.erase(userId)
  const keys = new Set(rows.map(({ objectKey }) => objectKey))
  for await (const page of objects.list(folderOf(userId, secret))) for (const { key } of page) keys.add(key)
  await objects.remove([...keys])
  return { cards: rows.filter(({ wasCurrent }) => wasCurrent).length, cardPictures: keys.size }
}
