import type { Database } from '@palanquin/db/client'
import { type Role, whichMayBeReplaced } from '@palanquin/domain/role'

/** A role in the chat platform. `givenBy` is a role, because tokens have no names. */
export type GivenRole = {
  userId: string
  role: Role
  displayName: string | null
  givenBy: string
  givenAt: Date
}

/** Checks the present role under its row's lock and audits the change in the same statement. */
const GIVE = `
WITH changed AS (
  INSERT INTO engagement.roles AS r (user_id, role, given_by, given_at)
  VALUES ($1::text, $2::text, $3::text, clock_timestamp())
  ON CONFLICT (user_id) DO UPDATE SET role = excluded.role, given_by = excluded.given_by, given_at = excluded.given_at
  WHERE r.role <> excluded.role AND r.role = ANY ($4::text[])
  RETURNING user_id, role, given_by, given_at
), registered AS (
  INSERT INTO engagement.participants (user_id) SELECT user_id FROM changed ON CONFLICT (user_id) DO NOTHING
), audited AS (
  INSERT INTO engagement.audit (type, by, at, detail)
  SELECT 'role.given', given_by, given_at, jsonb_build_object('userId', user_id, 'role', role) FROM changed
)
SELECT role FROM changed`

/** Taking a role creates an unknown participant too (contract section 2). */
const TAKE = `
WITH changed AS (
  DELETE FROM engagement.roles WHERE user_id = $1::text AND role = ANY ($3::text[]) RETURNING user_id, role
), registered AS (
  INSERT INTO engagement.participants (user_id) SELECT $1::text
  WHERE NOT EXISTS (SELECT FROM engagement.roles WHERE user_id = $1::text AND role <> ALL ($3::text[]))
  ON CONFLICT (user_id) DO NOTHING
), audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'role.taken', $2::text, jsonb_build_object('userId', user_id, 'role', role) FROM changed
)
SELECT role FROM changed`

/** By userId, so that no change moves an item. */
const PAGE = `
SELECT r.user_id AS "userId", r.role, p.display_name AS "displayName", r.given_by AS "givenBy", r.given_at AS "givenAt"
FROM engagement.roles AS r LEFT JOIN engagement.participants AS p ON p.user_id = r.user_id
WHERE r.user_id > $1::text ORDER BY r.user_id LIMIT $2::integer`

/** Roles of the staff. All throw StoreUnavailable. */
export function roleStore(db: Database) {
  const changed = async (statement: string, parameters: Parameters<Database['query']>[1]) =>
    (await db.query(statement, parameters)).length > 0
  return {
    /** Returns whether it was given: false if unchanged, or if the caller may not replace the present role. */
    give: (userId: string, { role, by, tier }: { role: Role; by: Role; tier: number }) =>
      changed(GIVE, [userId, role, by, whichMayBeReplaced(tier, role)]),
    /** Returns whether it was taken: false if there is none, or if the caller may not take it. */
    take: (userId: string, { by, tier }: { by: Role; tier: number }) =>
      changed(TAKE, [userId, by, whichMayBeReplaced(tier, null)]),
    read: async (userId: string): Promise<Role | null> => {
      const [row] = await db.query<{ role: Role }>('SELECT role FROM engagement.roles WHERE user_id = $1', [
        userId,
      ])
      return row?.role ?? null
    },
    /** At most `limit + 1` by userId, and the total. */
    list: async ({
      after,
      limit,
    }: {
      after: string
      limit: number
    }): Promise<{ rows: GivenRole[]; total: number }> => {
      const [rows, [count]] = await Promise.all([
        db.query<GivenRole>(PAGE, [after, limit + 1]),
        db.query<{ total: number }>('SELECT count(*) AS total FROM engagement.roles'),
      ])
      return { rows, total: count?.total ?? 0 }
    },
  }
}

export type RoleStore = ReturnType<typeof roleStore>
