import type { Database } from '@palanquin/db/client'
import { PhoneApp } from '@palanquin/domain/phone-apps'
import Type, { type Static } from 'typebox'

/** A request of a phone waits for it. */
const FIND_DEADLINE_MS = 2_000
const PAGE_DEADLINE_MS = 10_000

/** A write token that is good, whose it is, and whether its device has sent a point since it was issued (epoch ms). */
export type TokenRow = Static<typeof TokenRow>
const TokenRow = Type.Object({
  hash: Type.String(),
  deviceId: Type.String(),
  userId: Type.String(),
  app: PhoneApp,
  issuedAt: Type.Number(),
  isWalking: Type.Boolean(),
})

const SELECT = `
  SELECT token_hash AS hash, device_id AS "deviceId", user_id AS "userId", app,
         extract(epoch FROM created_at)::float8 * 1000 AS "issuedAt",
         EXISTS (SELECT FROM tracking.device_reports AS report
                  WHERE report.device_id = devices.device_id AND report.last_point_at >= created_at) AS "isWalking"
    FROM engagement.device_tokens JOIN engagement.devices USING (device_id)
   WHERE (expires_at IS NULL OR expires_at > now())`
const FIND = `${SELECT} AND token_hash = ANY ($1::text[])`
const PAGE = `${SELECT} AND token_hash > $1::text ORDER BY token_hash LIMIT $2`

/** Those of these hashes that are good. @throws StoreUnavailable */
export const findTokens = (db: Database, hashes: readonly string[]): Promise<TokenRow[]> =>
  db.queryAs(TokenRow, FIND, [hashes], { deadlineMs: FIND_DEADLINE_MS })

/** A page in the order of the hashes, behind `after`. @throws StoreUnavailable */
export const tokensPage = (db: Database, after: string, limit: number): Promise<TokenRow[]> =>
  db.queryAs(TokenRow, PAGE, [after, limit], { deadlineMs: PAGE_DEADLINE_MS })
