import { createHash, randomBytes } from 'node:crypto'
import type { Objects } from '@palanquin/objects/objects'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import type { HashUser } from '@palanquin/service/hash-user'
import type { Card } from './cache.ts'
import { folderOf } from './key.ts'
import type { CardRow, CardStore, Replacement } from './store.ts'

/** Contract section 4; chat platforms and browsers show a card as old as this without a request. */
export const CARD_CACHING = 'public, max-age=300'
export const CARD_TYPE = 'image/png'
const ETAG_DIGITS = 32
/** Of several that replace a card at once, each gives way after losing to another so often. */
const REPLACE_TRIES_MAX = 3

/** Who had a card rendered again, as the gateway vouches for it. */
export type Administrator = 'manager' | 'owner'

export type SaveCard = (
  rendered: Pick<Card, 'userId' | 'contentKey' | 'png'>,
  how: { before: CardRow | null; by?: Administrator; receivedAt: number },
) => Promise<Card | null>

const etagOf = (png: Uint8Array): string =>
  `"${createHash('sha256').update(png).digest('hex').slice(0, ETAG_DIGITS)}"`

/** Stores a card as the participant's, its object first; null when they were erased meanwhile. */
export const cardSaver =
  ({
    store,
    objects,
    secret,
    hashUser,
    receiptOf,
  }: {
    store: CardStore
    objects: Pick<Objects, 'put' | 'remove'>
    /** Key of the folder names in the object store. */
    secret: string
    hashUser: HashUser
    receiptOf: ReceiptOf
  }): SaveCard =>
  async (rendered, { before, by, receivedAt }) => {
    const { userId, contentKey, png } = rendered
    // Never the same name twice: a deletion under way must not take the new object.
    const objectKey = `${folderOf(userId, secret)}${contentKey}-${randomBytes(4).toString('hex')}.png`
    const etag = etagOf(png)
    if (!(await store.announce(objectKey, userId, receiptOf(userId, receivedAt)))) return null
    await objects.put(objectKey, png)
    const act: Replacement['act'] = by && { action: 'card.made-anew', by, detail: { user: hashUser(userId) } }
    let current = before
    for (let tries = 0; tries < REPLACE_TRIES_MAX; tries++) {
      const replaced = current?.objectKey ?? null
      const generatedAt = await store.replace({ userId, contentKey, objectKey, etag, before: replaced, act })
      if (generatedAt) return { ...rendered, etag, generatedAt }
      const now = await store.read(userId)
      // Another process was faster with the same image.
      if (now?.contentKey === contentKey && !by)
        return { ...rendered, etag: now.etag, generatedAt: now.generatedAt }
      if (now?.objectKey === current?.objectKey) break
      current = now
    }
    await objects.remove([objectKey])
    return null
  }
