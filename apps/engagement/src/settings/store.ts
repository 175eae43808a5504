import { isDeepStrictEqual } from 'node:util'
import type { Database } from '@palanquin/db/client'
import { settings } from '@palanquin/db/schema/engagement'
import type { Role } from '@palanquin/domain/role'
import { StoredSettings } from '@palanquin/domain/settings'
import Type from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * The change and its audit entry in one statement; no row where somebody else has changed the settings meanwhile.
 * $1 the settings that were judged, $2 those to store, $3 the role, $4 the names of what changes.
 */
const CHANGE = `
WITH changed AS (
  UPDATE engagement.settings SET settings = $2::text::jsonb, updated_at = now()
  WHERE settings = $1::text::jsonb RETURNING settings
), audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT 'settings.changed', $3::text, jsonb_strip_nulls(jsonb_build_object('changed', $4::text::jsonb,
    'consentVersion', settings->'consent'->'version')) FROM changed
)
SELECT true AS changed FROM changed`

const ChangedRow = Type.Object({ changed: Type.Boolean() })
const stored = Compile(StoredSettings)

/** The one row of the owners' settings. All throw StoreUnavailable. */
export function settingsStore(db: Database) {
  return {
    read: async (): Promise<StoredSettings> => {
      const [row] = await db.orm((orm) => orm.select({ settings: settings.settings }).from(settings))
      if (!row || !stored.Check(row.settings)) throw new Error('the settings have no row that can be read')
      return row.settings
    },
    /** False where they are not `from` any more. */
    change: async (from: StoredSettings, to: StoredSettings, by: Role): Promise<boolean> => {
      const names = new Set([...Object.keys(from), ...Object.keys(to)])
      const changed = [...names].filter((name) => differs(from, to, name)).sort()
      const values = [JSON.stringify(from), JSON.stringify(to), by, JSON.stringify(changed)]
      return (await db.queryAs(ChangedRow, CHANGE, values)).length > 0
    },
  }
}

export type SettingsStore = ReturnType<typeof settingsStore>

/** Whether a setting has another value in the two. */
const differs = (from: StoredSettings, to: StoredSettings, name: string): boolean =>
  !isDeepStrictEqual(Reflect.get(from, name), Reflect.get(to, name))
