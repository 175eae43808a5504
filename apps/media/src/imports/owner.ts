import type { Database } from '@palanquin/db/client'
import Type from 'typebox'

const ERASE = `
WITH erased AS (
  DELETE FROM media.imports WHERE user_id = $1 RETURNING object_key
), discarded AS (
  INSERT INTO media.discarded_objects (object_key) SELECT object_key FROM erased ON CONFLICT DO NOTHING
)
SELECT count(*)::int AS imports FROM erased`
const Erased = Type.Object({ imports: Type.Integer() })

/** Erases a participant's imports; what runs finds its row gone, and stops. @throws StoreUnavailable */
export async function eraseImports(
  db: Pick<Database, 'queryAs'>,
  userId: string,
): Promise<{ imports: number }> {
  const [erased] = await db.queryAs(Erased, ERASE, [userId])
  return { imports: erased?.imports ?? 0 }
}

/** A person has one import under way at most: where both have, the device's ends. */
const LINK = `
WITH busy AS (
  SELECT EXISTS (SELECT FROM media.imports WHERE user_id = $2 AND status IN ('queued', 'running')) AS is
), moved AS (
  UPDATE media.imports AS i SET user_id = $2,
         status = CASE WHEN busy.is AND i.finished_at IS NULL THEN 'failed' ELSE i.status END,
         error = CASE WHEN busy.is AND i.finished_at IS NULL THEN $3 ELSE i.error END,
         report = CASE WHEN busy.is AND i.finished_at IS NULL
                       THEN i.report || '{"errorCode": "send_again"}' ELSE i.report END,
         finished_at = CASE WHEN busy.is AND i.finished_at IS NULL THEN now() ELSE i.finished_at END
    FROM busy WHERE i.user_id = $1 RETURNING i.status, i.object_key
)
INSERT INTO media.discarded_objects (object_key) SELECT object_key FROM moved WHERE status = 'failed'
ON CONFLICT DO NOTHING`
const JOINED = 'This walk was joined to another while the file was read. Please send it again.'

/** Imports of a device become those of the person it was joined to; idempotent. @throws StoreUnavailable */
export async function linkImports(
  db: Pick<Database, 'query'>,
  { deviceId, userId }: { deviceId: string; userId: string },
): Promise<void> {
  await db.query(LINK, [deviceId, userId, JOINED])
}
