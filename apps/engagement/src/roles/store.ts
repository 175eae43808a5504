import type { Database, Parameter } from '@palanquin/db/client'
import { participants, roles } from '@palanquin/db/schema/engagement'
import { unlessErased } from '@palanquin/db/unless-erased'
import { Role, whichMayBeReplaced } from '@palanquin/domain/role'
import { eq, getTableColumns, gt } from 'drizzle-orm'
import Type from 'typebox'
import type { Sender } from '../participants/store.ts'

/** A role of the staff. `givenBy` is a person, or a role, because tokens have no names. */
const ITEM = { ...getTableColumns(roles), displayName: participants.displayName }

const Changed = Type.Object({ role: Role })

/** Checks the present role under its row's lock and audits the change in the same statement. */
const GIVE = `
WITH changed AS (
  INSERT INTO engagement.roles AS r (user_id, role, given_by, given_at)
  SELECT $1::text, $2::text, $3::text, clock_timestamp() WHERE ${unlessErased('$5')}
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
  DELETE FROM engagement.roles WHERE user_id = $1::text AND role = ANY ($3::text[]) AND ${unlessErased('$4')}
  RETURNING user_id, role
), registered AS (
  INSERT INTO engagement.participants (user_id) SELECT $1::text
  WHERE NOT EXISTS (SELECT FROM engagement.roles WHERE user_id = $1::text AND role <> ALL ($3::text[]))
    AND ${unlessErased('$4')}
  ON CONFLICT (user_id) DO NOTHING
), audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'role.taken', $2::text, jsonb_build_object('userId', user_id, 'role', role) FROM changed
)
SELECT role FROM changed`

/** Roles of the staff. All throw StoreUnavailable. */
export function roleStore(db: Database) {
  const isChanged = async (statement: string, parameters: readonly Parameter[]) =>
    (await db.queryAs(Changed, statement, parameters)).length > 0
  return {
    /** Returns whether it was given: false if unchanged, or if the caller may not replace the present role. */
    give: ({ userId, receipt }: Sender, { role, by, tier }: { role: Role; by: string; tier: number }) =>
      isChanged(GIVE, [userId, role, by, whichMayBeReplaced(tier, role), receipt]),
    /** Returns whether it was taken: false if there is none, or if the caller may not take it. */
    take: ({ userId, receipt }: Sender, { by, tier }: { by: string; tier: number }) =>
      isChanged(TAKE, [userId, by, whichMayBeReplaced(tier, null), receipt]),
    read: async (userId: string): Promise<Role | null> => {
      const [row] = await db.orm((orm) =>
        orm.select({ role: roles.role }).from(roles).where(eq(roles.userId, userId)),
      )
      return row?.role ?? null
    },
    /** At most `count` after a user id, in order: by userId no change moves an item. */
    page: (after: string, count: number) =>
      db.orm((orm) =>
        orm
          .select(ITEM)
          .from(roles)
          .leftJoin(participants, eq(participants.userId, roles.userId))
          .where(gt(roles.userId, after))
          .orderBy(roles.userId)
          .limit(count),
      ),
    total: (): Promise<number> => db.orm((orm) => orm.$count(roles)),
  }
}

export type RoleStore = ReturnType<typeof roleStore>
