import { randomBytes } from 'node:crypto'
import type { Database } from '@palanquin/db/client'
import { cardShares } from '@palanquin/db/schema/media'
import { unlessErased } from '@palanquin/db/unless-erased'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { eq } from 'drizzle-orm'
import Type from 'typebox'

/** 128 bits: no card is found by guessing. */
const SHARE_ID_BYTES = 16

export const ShareId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'by which the card is shared; it does not say whose it is',
  examples: ['Zk3v0uQhJ5xW8yTtR2aNfg'],
})

/** The id that is there stays: an address that was handed on goes on to work. */
const SHARE = `
INSERT INTO media.card_shares AS share (share_id, user_id) SELECT $1, $2 WHERE ${unlessErased('$3')}
ON CONFLICT (user_id) WHERE NOT joined DO UPDATE SET share_id = share.share_id
RETURNING share_id AS "shareId"`

/** The addresses by which cards are handed on. All throw StoreUnavailable. */
export const cardShareStore = (db: Pick<Database, 'orm' | 'queryAs'>, receiptOf: ReceiptOf) => ({
  /** A participant's share id, made with the first call. */
  shareIdOf: async (userId: string, receivedAt: number): Promise<string> => {
    const shareId = randomBytes(SHARE_ID_BYTES).toString('base64url')
    const [row] = await db.queryAs(Type.Object({ shareId: ShareId }), SHARE, [
      shareId,
      userId,
      receiptOf(userId, receivedAt),
    ])
    if (!row) throw new StoreUnavailable('cards', new Error('the participant was erased'))
    return row.shareId
  },
  /** Whose card it is; null for an id that is unknown, or whose participant was erased. */
  ownerOf: async (shareId: string): Promise<string | null> => {
    const [row] = await db.orm((orm) => orm.select().from(cardShares).where(eq(cardShares.shareId, shareId)))
    return row?.userId ?? null
  },
})

export type CardShareStore = ReturnType<typeof cardShareStore>
