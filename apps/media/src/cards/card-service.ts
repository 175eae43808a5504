import type { Objects } from '@palanquin/objects/objects'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { singleFlight } from '@palanquin/service/memoize'
import type { Priority } from '../worker-pool/queue.ts'
import type { Card, CardCache } from './cache.ts'
import { contentKey } from './key.ts'
import type { GetProfile } from './profile-client.ts'
import type { CardPool } from './render/card-pool.ts'
import { type CardContent, contentOf, type EventFacts } from './render/content.ts'
import type { CardMetrics } from './render/metrics.ts'
import type { Administrator, SaveCard } from './save-card.ts'
import type { CardRow, CardStore } from './store.ts'

type Dependencies = {
  getProfile: GetProfile
  store: Pick<CardStore, 'read'>
  objects: Pick<Objects, 'get'>
  cache: CardCache
  pool: Pick<CardPool, 'render'>
  save: SaveCard
  metrics: CardMetrics
  event: EventFacts
}

/** The cards of participants: the stored one while it shows the current figures, else a new one. */
export function createCardService({
  getProfile,
  store,
  objects,
  cache,
  pool,
  save,
  metrics,
  event,
}: Dependencies) {
  const shared = singleFlight<Card | null>()

  /** The card of a row; null when the object store has lost it. */
  const load = async (userId: string, row: CardRow): Promise<Card | null> => {
    const png = await objects.get(row.objectKey)
    if (!png) return null
    const { contentKey, etag, generatedAt } = row
    return { userId, contentKey, etag, generatedAt, png }
  }
  const render = async (
    userId: string,
    content: CardContent,
    how: { before: CardRow | null; priority: Priority; by?: Administrator; receivedAt: number },
  ): Promise<Card | null> => {
    const { png } = await pool.render(content, how.priority)
    metrics.answered.inc({ source: 'renderer' })
    return save({ userId, contentKey: contentKey(content), png }, how)
  }
  /** The latest card, for while engagement is away and the current figures are unknown. */
  const latest = async (userId: string, reason: StoreUnavailable): Promise<Card> => {
    const known = cache.get(userId)
    const row = await store.read(userId).catch((error: unknown) => {
      if (known) return undefined
      throw error
    })
    const card = row && row.contentKey !== known?.contentKey ? await load(userId, row) : known
    if (!card || row === null) throw reason
    return card
  }
  const loadOrRender = async (
    userId: string,
    content: CardContent,
    receivedAt: number,
  ): Promise<Card | null> => {
    const row = await store.read(userId)
    const found = row?.contentKey === contentKey(content) ? await load(userId, row) : null
    if (found) metrics.answered.inc({ source: 'objects' })
    const card = found ?? (await render(userId, content, { before: row, priority: 'normal', receivedAt }))
    if (card) cache.set(card)
    return card
  }

  return {
    /** The present card of a participant; null for an unknown one. @throws StoreUnavailable, or ApiError when busy */
    cardOf: async (userId: string, requestId: string): Promise<Card | null> => {
      const receivedAt = Date.now()
      let content: CardContent
      try {
        const profile = await getProfile(userId, requestId)
        if (!profile) {
          cache.delete(userId)
          return null
        }
        content = contentOf(profile, event)
      } catch (error) {
        if (error instanceof StoreUnavailable) return latest(userId, error)
        throw error
      }
      const key = contentKey(content)
      const known = cache.get(userId)
      if (known?.contentKey === key) {
        metrics.answered.inc({ source: 'memory' })
        return known
      }
      return shared(`${userId}/${key}`, () => loadOrRender(userId, content, receivedAt))
    },
    /** A card rendered again for an administrator; null for an unknown participant. */
    renderAgain: async (userId: string, requestId: string, by: Administrator): Promise<Card | null> => {
      const receivedAt = Date.now()
      const profile = await getProfile(userId, requestId)
      if (!profile) return null
      const before = await store.read(userId)
      const card = await render(userId, contentOf(profile, event), {
        before,
        priority: 'normal',
        by,
        receivedAt,
      })
      if (card) cache.set(card)
      return card
    },
    /** Renders a card before it is requested, unless the stored one is current. */
    preRender: async (userId: string, requestId: string): Promise<'made' | 'current' | 'unknown'> => {
      const receivedAt = Date.now()
      const profile = await getProfile(userId, requestId)
      if (!profile) return 'unknown'
      const content = contentOf(profile, event)
      const key = contentKey(content)
      const before = await store.read(userId)
      if (before?.contentKey === key) return 'current'
      const card = await shared(`${userId}/${key}`, () =>
        render(userId, content, { before, priority: 'low', receivedAt }),
      )
      return card ? 'made' : 'unknown'
    },
  }
}

export type CardService = ReturnType<typeof createCardService>
