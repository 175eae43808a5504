import { SHARD_COUNT } from '@palanquin/domain/ids'
import { splitEntryId } from '../../buffer/entry-id.ts'

/** An entry id of a shard's stream, as numbers. */
export type EntryNumber = readonly [ms: number, sequence: number]
/**
 * How far a reader has followed the change log. `number` counts within one process; any other process goes by `asOf`, the
 * time of PostgreSQL up to which changes were known.
 */
export type ChangeOffset = { readonly process: number; readonly number: number; readonly asOf: number }

/** What a reader has seen: the movements of each shard up to an entry, and changes up to an offset (null: none). */
export type Cursor = { readonly shards: readonly EntryNumber[]; readonly changes: ChangeOffset | null }

export const STREAM_START: EntryNumber = [0, 0]
export const ALL_STREAM_STARTS: readonly EntryNumber[] = Array.from(
  { length: SHARD_COUNT },
  () => STREAM_START,
)

/** 48 bits of milliseconds last until the year 10889; 4 billion entries within one are out of reach. */
const MS_BYTES = 6
const SEQUENCE_BYTES = 4
const ENTRY_BYTES = MS_BYTES + SEQUENCE_BYTES
const SHARDS_BYTES = SHARD_COUNT * ENTRY_BYTES
const PROCESS_BYTES = 4
const NUMBER_BYTES = 6
const CURSOR_BYTES = SHARDS_BYTES + PROCESS_BYTES + NUMBER_BYTES + MS_BYTES

export const entryNumber = (id: string): EntryNumber => splitEntryId(id)

export const isAfter = (a: EntryNumber, b: EntryNumber): boolean =>
  a[0] > b[0] || (a[0] === b[0] && a[1] > b[1])

export const isSameCursor = (a: Cursor, b: Cursor): boolean =>
  a.changes?.process === b.changes?.process &&
  a.changes?.number === b.changes?.number &&
  a.shards.every(([ms, sequence], at) => ms === b.shards[at]?.[0] && sequence === b.shards[at]?.[1])

/** A cursor as opaque text, which any process understands, also after a restart. */
export function encodeCursor({ shards, changes }: Cursor): string {
  const bytes = Buffer.alloc(CURSOR_BYTES)
  shards.forEach(([ms, sequence], shard) => {
    bytes.writeUIntBE(ms, shard * ENTRY_BYTES, MS_BYTES)
    bytes.writeUIntBE(sequence, shard * ENTRY_BYTES + MS_BYTES, SEQUENCE_BYTES)
  })
  if (changes) {
    bytes.writeUIntBE(changes.process, SHARDS_BYTES, PROCESS_BYTES)
    bytes.writeUIntBE(changes.number, SHARDS_BYTES + PROCESS_BYTES, NUMBER_BYTES)
    bytes.writeUIntBE(changes.asOf, SHARDS_BYTES + PROCESS_BYTES + NUMBER_BYTES, MS_BYTES)
  }
  return bytes.toString('base64url')
}

/** The cursor of a text; null for text that is no cursor. The older form without a change offset is understood, too. */
export function decodeCursor(text: string): Cursor | null {
  const bytes = Buffer.from(text, 'base64url')
  const isOldForm = bytes.length === SHARDS_BYTES
  if ((bytes.length !== CURSOR_BYTES && !isOldForm) || bytes.toString('base64url') !== text) return null
  const shards = Array.from(
    { length: SHARD_COUNT },
    (_, shard): EntryNumber => [
      bytes.readUIntBE(shard * ENTRY_BYTES, MS_BYTES),
      bytes.readUIntBE(shard * ENTRY_BYTES + MS_BYTES, SEQUENCE_BYTES),
    ],
  )
  if (isOldForm) return { shards, changes: null }
  const process = bytes.readUIntBE(SHARDS_BYTES, PROCESS_BYTES)
  const number = bytes.readUIntBE(SHARDS_BYTES + PROCESS_BYTES, NUMBER_BYTES)
  const asOf = bytes.readUIntBE(SHARDS_BYTES + PROCESS_BYTES + NUMBER_BYTES, MS_BYTES)
  return { shards, changes: { process, number, asOf } }
}
