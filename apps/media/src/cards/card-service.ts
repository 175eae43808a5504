import { createHash, randomBytes } from 'node:crypto'
import type { HashUser } from '@palanquin/service/hash-user'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Objects } from '../objects.ts'
import type { Priority } from '../worker-pool/queue.ts'
import type { Card, CardMemory } from './cache.ts'
import { type CardContent, contentOf, type EventFacts } from './content.ts'
import { contentKey, folderOf } from './key.ts'
import type { CardMetrics } from './metrics.ts'
import { onePerKey } from './one-per-key.ts'
import type { AskProfile } from './profile-client.ts'
import type { CardPool } from './render/card-pool.ts'
import type { CardRow, CardStore, Standing } from './store.ts'

/** Contract section 4; chat platforms and browsers show a card as old as this without asking again. */
export const CARD_CACHING = 'public, max-age=300'
export const CARD_TYPE = 'image/png'
const ETAG_DIGITS = 32
/** Of several that replace a card at once, each loses to another at most so often before it gives way. */
const STAND_TRIES_MAX = 3

export type Cards = {
  ask: AskProfile
  store: CardStore
  objects: Pick<Objects, 'get' | 'put' | 'remove'>
  memory: CardMemory
  pool: CardPool
  metrics: CardMetrics
  event: EventFacts
  /** Key of the folders' names in the object store. */
  secret: string
  hashUser: HashUser
}

/** Who had a card made anew, as the gateway vouches for it. */
export type Administrator = 'manager' | 'owner'

/** The cards of participants: found where one stands that shows what is true now, and made where none does. */
export function createCards(cards: Cards) {
  const { ask, store, objects, memory, pool, metrics, event } = cards
  const shared = onePerKey<Card | null>()
  const place = placer(cards)

  /** The picture that a row points to; null when the object store has lost it. */
  const load = async (userId: string, row: CardRow): Promise<Card | null> => {
    const object = await objects.get(row.objectKey)
    if (!object) return null
    const { contentKey, etag, generatedAt } = row
    return { userId, contentKey, etag, generatedAt, png: object.bytes }
  }
  const make = async (
    userId: string,
    content: CardContent,
    how: { before: CardRow | null; priority: Priority; by?: Administrator },
  ): Promise<Card | null> => {
    const { png } = await pool.render(content, how.priority)
    metrics.answered.inc({ source: 'renderer' })
    return place({ userId, contentKey: contentKey(content), png }, how)
  }
  /** Without engagement nobody knows the figures of now: the card that stands is shown. */
  const standing = async (userId: string, reason: StoreUnavailable): Promise<Card> => {
    const known = memory.get(userId)
    const row = await store.read(userId).catch((error: unknown) => {
      if (known) return undefined
      throw error
    })
    const card = row && row.contentKey !== known?.contentKey ? await load(userId, row) : known
    if (!card || row === null) throw reason
    return card
  }
  const find = async (userId: string, content: CardContent): Promise<Card | null> => {
    const row = await store.read(userId)
    const found = row?.contentKey === contentKey(content) ? await load(userId, row) : null
    if (found) metrics.answered.inc({ source: 'objects' })
    const card = found ?? (await make(userId, content, { before: row, priority: 'normal' }))
    if (card) memory.keep(card)
    return card
  }

  return {
    /**
     * The card of a participant with the figures of now; null for an unknown participant. However many ask for the same
     * card at once, one is made. @throws StoreUnavailable, or Refusal when too many cards are being made
     */
    cardOf: async (userId: string, requestId: string): Promise<Card | null> => {
      let content: CardContent
      try {
        const profile = await ask(userId, requestId)
        if (!profile) {
          memory.forget(userId)
          return null
        }
        content = contentOf(profile, event)
      } catch (error) {
        if (error instanceof StoreUnavailable) return standing(userId, error)
        throw error
      }
      const key = contentKey(content)
      const known = memory.get(userId)
      if (known?.contentKey === key) {
        metrics.answered.inc({ source: 'memory' })
        return known
      }
      return shared(`${userId}/${key}`, () => find(userId, content))
    },
    /** A card made anew at an administrator's wish, whatever there is; null for an unknown participant. */
    makeAnew: async (userId: string, requestId: string, by: Administrator): Promise<Card | null> => {
      const profile = await ask(userId, requestId)
      if (!profile) return null
      const before = await store.read(userId)
      const card = await make(userId, contentOf(profile, event), { before, priority: 'normal', by })
      if (card) memory.keep(card)
      return card
    },
    /** Makes a card ahead of anybody asking, unless the one that stands is current. */
    makeAhead: async (userId: string, requestId: string): Promise<'made' | 'current' | 'unknown'> => {
      const profile = await ask(userId, requestId)
      if (!profile) return 'unknown'
      const content = contentOf(profile, event)
      const key = contentKey(content)
      const before = await store.read(userId)
      if (before?.contentKey === key) return 'current'
      const card = await shared(`${userId}/${key}`, () => make(userId, content, { before, priority: 'low' }))
      return card ? 'made' : 'unknown'
    },
    forget: memory.forget,
  }
}

export type CardRoom = ReturnType<typeof createCards>

const etagOf = (png: Uint8Array): string =>
  `"${createHash('sha256').update(png).digest('hex').slice(0, ETAG_DIGITS)}"`

/**
 * Stores a drawn card and makes it the participant's. The object is there before the row points to it, and an object
 * that no row points to is written down as a leftover at every moment. Null when the participant was erased meanwhile.
 */
function placer({ store, objects, secret, hashUser }: Cards) {
  return async (
    drawn: Pick<Card, 'userId' | 'contentKey' | 'png'>,
    { before, by }: { before: CardRow | null; by?: Administrator },
  ): Promise<Card | null> => {
    const { userId, contentKey, png } = drawn
    // Never the same name twice: what is being deleted under a name cannot come back under it.
    const objectKey = `${folderOf(userId, secret)}${contentKey}-${randomBytes(4).toString('hex')}.png`
    const etag = etagOf(png)
    await store.begin(objectKey, userId)
    await objects.put(objectKey, png, { contentType: CARD_TYPE, cacheControl: CARD_CACHING })
    const act: Standing['act'] = by && {
      action: 'card.made-anew',
      by,
      detail: { user: hashUser(userId) },
    }
    let current = before
    for (let tries = 0; tries < STAND_TRIES_MAX; tries++) {
      const generatedAt = await store.stand({
        userId,
        contentKey,
        objectKey,
        etag,
        before: current?.objectKey ?? null,
        act,
      })
      if (generatedAt) return { ...drawn, etag, generatedAt }
      const now = await store.read(userId)
      // Another process was faster with the same picture.
      if (now?.contentKey === contentKey && !by)
        return { ...drawn, etag: now.etag, generatedAt: now.generatedAt }
      if (now?.objectKey === current?.objectKey) break
      current = now
    }
    await objects.remove([objectKey])
    return null
  }
}
