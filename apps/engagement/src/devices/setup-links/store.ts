import { createHash } from 'node:crypto'
import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { unlessErased } from '@palanquin/db/unless-erased'
import { SETUP_LINK_MS, SETUP_WATCH_MS, type SetupLinkBody } from '@palanquin/domain/setup-link'
import type { Receipt } from '@palanquin/service/erasure-token'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'
import { newCode } from './code.ts'

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

const Made = Type.Object({ expiresAt: Timestamp })
const Link = Type.Object({
  userId: Type.String(),
  name: Nullable(Type.String()),
  madeBy: Nullable(Type.String()),
  deviceId: Nullable(Type.String()),
  isMine: Type.Boolean(),
  isOpened: Type.Boolean(),
  isOver: Type.Boolean(),
})
export type SetupLink = Static<typeof Link>
const Changed = Type.Object({ userId: Type.String() })

/** $1 the code's hash, $2 userId, $3 name, $4 who acts, $5 the receipt. */
const MAKE = `
WITH made AS (
  INSERT INTO engagement.setup_links (code_hash, user_id, name, made_by, expires_at)
  SELECT $1, $2, $3, $4::text, now() + interval '${SETUP_LINK_MS} milliseconds' WHERE ${unlessErased('$5')} RETURNING user_id, expires_at
), audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'setup_link.made', $4::text, jsonb_build_object('userId', user_id) FROM made WHERE $4::text IS NOT NULL
)
SELECT expires_at AS "expiresAt" FROM made`

/** $1 the code's hash, $2 the key's. */
const FIND = `
SELECT user_id AS "userId", name, made_by AS "madeBy", device_id AS "deviceId",
       coalesce(key_hash = $2, false) AS "isMine", key_hash IS NOT NULL AS "isOpened", expires_at <= now() AS "isOver"
  FROM engagement.setup_links
 WHERE code_hash = $1 AND expires_at > now() - interval '${SETUP_WATCH_MS} milliseconds'`

const CLAIM = `
UPDATE engagement.setup_links SET key_hash = $2
 WHERE code_hash = $1 AND expires_at > now() AND (key_hash IS NULL OR key_hash = $2) RETURNING user_id AS "userId"`

/** $2 the key's hash, $3 the device before, $4 the device now: of two choices at once one is kept. */
const CHOOSE = `
UPDATE engagement.setup_links SET device_id = $4::uuid
 WHERE code_hash = $1 AND key_hash = $2 AND device_id IS NOT DISTINCT FROM $3::uuid RETURNING user_id AS "userId"`

const FORGET = `
DELETE FROM engagement.setup_links WHERE expires_at <= now() - interval '${SETUP_WATCH_MS} milliseconds'`

type Secrets = { code: string; key: string }

/** Links by which phone apps are set up; only the hashes of their codes are kept. All throw StoreUnavailable. */
export const setupLinkStore = (db: Pick<Database, 'query' | 'queryAs'>) => ({
  make: async (
    { userId, name }: SetupLinkBody,
    { by, receipt }: { by: string | null; receipt: Receipt },
  ): Promise<{ code: string; expiresAt: Date }> => {
    const code = newCode()
    const [made] = await db.queryAs(Made, MAKE, [hashOf(code), userId, name ?? null, by, receipt])
    if (!made) throw new StoreUnavailable('set-up links', new Error('the participant was erased'))
    return { code, expiresAt: made.expiresAt }
  },
  /** The link of a code as the browser with this key sees it. */
  find: async ({ code, key }: Secrets): Promise<SetupLink | undefined> =>
    (await db.queryAs(Link, FIND, [hashOf(code), hashOf(key)]))[0],
  /** Keeps a link for the browser with this key; false once it is over or another browser's. */
  claim: async ({ code, key }: Secrets): Promise<boolean> =>
    (await db.queryAs(Changed, CLAIM, [hashOf(code), hashOf(key)])).length > 0,
  /** Notes the device that was made by a link; false where another choice was faster. */
  choose: async ({ code, key }: Secrets, before: string | null, deviceId: string): Promise<boolean> =>
    (await db.queryAs(Changed, CHOOSE, [hashOf(code), hashOf(key), before, deviceId])).length > 0,
  forget: async (): Promise<void> => {
    await db.query(FORGET, [])
  },
})

export type SetupLinkStore = ReturnType<typeof setupLinkStore>
