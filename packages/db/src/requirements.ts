import journal from '../migrations/meta/_journal.json' with { type: 'json' }
import type { Database } from './client.ts'

const MAJOR_MIN = 16

/** The version of the schema that this program is made for: the number of its migrations. */
export const SCHEMA_VERSION = journal.entries.length

/** The migrator comments this schema with `33 Palanquin 1.0.0 (a1b2c3)`. */
export const FACTS = `
SELECT current_setting('server_version_num')::integer AS server, current_setting('server_version') AS version,
       current_setting('server_encoding') AS encoding,
       obj_description(to_regnamespace('drizzle')::oid, 'pg_namespace') AS schema`

export type Facts = { server: number; version: string; encoding: string; schema: string | null }

/** The comment of a schema that this program has made. */
export const schemaComment = ({ version, commit }: { version: string; commit: string }): string =>
  `${SCHEMA_VERSION} Palanquin ${version} (${commit})`

/** What is wrong with a PostgreSQL, and what to do; undefined: nothing. */
export function serverProblem({ server, version, encoding }: Facts): string | undefined {
  if (server < MAJOR_MIN * 10_000)
    return `PostgreSQL ${version} is too old: Palanquin needs ${MAJOR_MIN}, 17 or 18. Upgrade the server of DATABASE_URL.`
  if (encoding !== 'UTF8')
    return `The database is encoded in ${encoding}, which cannot hold every name: make it anew with ENCODING 'UTF8' TEMPLATE template0.`
}

/** What is wrong where a newer program has migrated the database; undefined: nothing. */
export function newerSchemaProblem({ schema }: Facts): string | undefined {
  const [version = '', ...madeBy] = schema?.split(' ') ?? []
  if (Number(version) > SCHEMA_VERSION)
    return `This database is of version ${version}, made by ${madeBy.join(' ')}; this program knows versions up to ${SCHEMA_VERSION} and would store nothing. Run the program that made it, or a newer one.`
}

/** What is missing where this program has not migrated the database yet; undefined: nothing. */
export function olderSchemaProblem({ schema }: Facts): string | undefined {
  const version = Number(schema?.split(' ')[0] ?? 0)
  if (version < SCHEMA_VERSION)
    return `This database is of version ${version}, and this program needs version ${SCHEMA_VERSION}: migrate it first (./palanquin up or restart; in containers the service migrate).`
}

/** Why a database does not serve this program, and what to do; undefined: it does. @throws StoreUnavailable */
export async function databaseProblem(db: Database): Promise<string | undefined> {
  const [facts] = await db.query<Facts>(FACTS)
  return facts && (serverProblem(facts) ?? newerSchemaProblem(facts) ?? olderSchemaProblem(facts))
}
