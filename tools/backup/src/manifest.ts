import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readIfThere, readJsonIfThere } from '@palanquin/files/read'
import { LauncherError } from '@palanquin/stack/launcher-error'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { digestOf } from './lines.ts'

export const MANIFEST = 'manifest.json'
/** Without this secret every participant gets another pseudonym on the public map. */
export const SECRETS = 'secrets.env'

/** The text of that file, quoted so that any secret survives the round trip. */
export function secretsText(pseudonymSecret: string): string {
  const quote = ["'", '"', '`'].find((mark) => !pseudonymSecret.includes(mark))
  if (quote === undefined)
    throw new LauncherError('PSEUDONYM_SECRET contains every kind of quotation mark: choose another one.')
  return `PSEUDONYM_SECRET=${quote}${pseudonymSecret}${quote}\n`
}

/** The secret in a backup. @throws LauncherError when there is none */
export function savedSecret(folder: string): string {
  const { PSEUDONYM_SECRET } = parseEnv(readIfThere(join(folder, SECRETS)) ?? '')
  if (PSEUDONYM_SECRET) return PSEUDONYM_SECRET
  throw new LauncherError(
    `${join(folder, SECRETS)} holds no PSEUDONYM_SECRET, without which every participant on the public map would get another id: put the one of the saved home there.`,
  )
}
/** Raised when a new restore can no longer read older backups. */
const FORMAT = 1

const Count = Type.Integer({ minimum: 0 })
export const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  /** When the snapshot of the rows was taken. */
  takenAt: Type.String(),
  /** Hashes of the migrations that made the tables. */
  migrations: Type.Array(Type.String()),
  /** UTC days (YYYYMMDD) that have a partition of points. */
  days: Type.Array(Type.String({ pattern: '^\\d{8}$' })),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      columns: Type.Array(Type.String()),
      rows: Count,
      /** The next values of the identity columns. */
      numbering: Type.Record(Type.String(), Type.String({ pattern: '^\\d+$' })),
    }),
  ),
  /** Points that count, as rows and packed. */
  points: Type.Optional(Count),
  objects: Type.Object({ count: Count, bytes: Count }),
  streams: Type.Array(Type.Object({ key: Type.String(), entries: Count })),
  /** SHA-256 of every file except the bodies of objects, whose name is their hash. */
  files: Type.Record(Type.String(), Type.String()),
})
export type Manifest = Static<typeof Manifest>
export const manifestFormat: Manifest['format'] = FORMAT

/** The manifest of a backup. */
export function readManifest(folder: string): Manifest {
  if (readIfThere(join(folder, MANIFEST)) === undefined)
    throw new LauncherError(`${folder} is not a backup: it has no ${MANIFEST}.`)
  const value = readJsonIfThere(join(folder, MANIFEST))
  if (Value.Check(Manifest, value)) return value
  throw new LauncherError(`${join(folder, MANIFEST)} cannot be read by this version.`)
}

/** @throws LauncherError naming the first file that does not match its hash */
export async function checkFiles(folder: string, { files }: Manifest): Promise<void> {
  for (const [name, sha256] of Object.entries(files))
    if ((await digestOf(join(folder, name))) !== sha256)
      throw new LauncherError(`${join(folder, name)} is damaged: its SHA-256 is not that of the manifest.`)
}
