import { randomBytes } from 'node:crypto'
import type { Database } from '@palanquin/db/client'
import { Timestamp } from '@palanquin/db/rows'
import { unlessErased } from '@palanquin/db/unless-erased'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'
import type { Sender } from '../participants/store.ts'

/** 128 bits. */
const TOKEN_BYTES = 16

const Share = Type.Object({ token: Type.String(), createdAt: Timestamp, expiresAt: Timestamp })
export type Share = Static<typeof Share>
const COLUMNS = 'token, created_at AS "createdAt", expires_at AS "expiresAt"'

const EXPIRE = `
UPDATE engagement.shares SET ended_at = expires_at
 WHERE user_id = $1 AND ended_at IS NULL AND expires_at <= now()`

/**
 * The link that is open lasts for so long from now; where there is none, a new one is made. $2 is its
 * token, $3 the hours, $4 the receipt.
 */
const OPEN = `
WITH renewed AS (
  UPDATE engagement.shares SET expires_at = now() + make_interval(hours => $3::int)
   WHERE user_id = $1 AND ended_at IS NULL AND expires_at > now() RETURNING *
), made AS (
  INSERT INTO engagement.shares (token, user_id, expires_at)
  SELECT $2, $1, now() + make_interval(hours => $3::int)
   WHERE NOT EXISTS (SELECT FROM renewed) AND ${unlessErased('$4')} RETURNING *
)
SELECT ${COLUMNS} FROM renewed UNION ALL SELECT ${COLUMNS} FROM made`

const READ_OWN = `
SELECT ${COLUMNS} FROM engagement.shares WHERE user_id = $1 AND ended_at IS NULL AND expires_at > now()`

const END = `
UPDATE engagement.shares SET ended_at = now()
 WHERE user_id = $1 AND ended_at IS NULL AND expires_at > now() RETURNING ${COLUMNS}`

/** A withdrawn participant's link is at rest: nothing of them is shown until they are back. */
const FIND = `
SELECT s.user_id AS "userId", s.expires_at AS "expiresAt",
       s.ended_at IS NOT NULL OR s.expires_at <= now() OR coalesce(p.status = 'withdrawn', false) AS ended
  FROM engagement.shares AS s LEFT JOIN engagement.participants AS p USING (user_id) WHERE s.token = $1`
const Found = Type.Object({ userId: Type.String(), expiresAt: Timestamp, ended: Type.Boolean() })
export type FoundShare = Static<typeof Found>

/** The links of participants; one of each is open at most. All throw StoreUnavailable. */
export const shareStore = (db: Pick<Database, 'query' | 'queryAs'>, tags: CredentialTags) => ({
  open: async ({ userId, receipt }: Sender, hours: number): Promise<Share> => {
    // Before, not in the same statement, whose index would still see an expired link as open.
    await db.query(EXPIRE, [userId])
    const token = tags.tagged('family link', randomBytes(TOKEN_BYTES).toString('base64url'))
    const [share] = await db.queryAs(Share, OPEN, [userId, token, hours, receipt])
    if (!share) throw new StoreUnavailable('family links', new Error('the participant was erased'))
    return share
  },
  own: async (userId: string): Promise<Share | null> =>
    (await db.queryAs(Share, READ_OWN, [userId]))[0] ?? null,
  /** Takes the open link back; null where there was none. */
  end: async (userId: string): Promise<Share | null> => (await db.queryAs(Share, END, [userId]))[0] ?? null,
  find: async (token: string): Promise<FoundShare | null> =>
    (await db.queryAs(Found, FIND, [token]))[0] ?? null,
})

export type ShareStore = ReturnType<typeof shareStore>
