import { SHARD_COUNT } from '@palanquin/domain/ids'
import { splitEntryId } from '../../buffer/entry-id.ts'

/** How far into a shard's stream a reader has seen: an entry id, as numbers. */
export type EntryNumber = readonly [ms: number, sequence: number]
/**
 * Up to where a reader of the map knows who may be seen: changes are numbered by each process for itself; for any other
 * process, by the time of PostgreSQL up to which this one knew them.
 */
export type Seen = { readonly process: number; readonly number: number; readonly asOf: number }

/** What a reader of the map knows: every shard's movements up to an entry, and who may be seen (null: nothing of that). */
export type Cursor = { readonly shards: readonly EntryNumber[]; readonly seen: Seen | null }

export const NOWHERE: EntryNumber = [0, 0]
export const BEGINNING: readonly EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => NOWHERE)

/** 48 bits of milliseconds last until the year 10889; nobody adds 4 billion entries in one of them. */
const MS_BYTES = 6
const SEQUENCE_BYTES = 4
const ENTRY_BYTES = MS_BYTES + SEQUENCE_BYTES
const SHARDS_BYTES = SHARD_COUNT * ENTRY_BYTES
const PROCESS_BYTES = 4
const NUMBER_BYTES = 6
const CURSOR_BYTES = SHARDS_BYTES + PROCESS_BYTES + NUMBER_BYTES + MS_BYTES

export const entryNumber = (id: string): EntryNumber => splitEntryId(id)

export const isPending = (a: EntryNumber, b: EntryNumber): boolean =>
  a[0] > b[0] || (a[0] === b[0] && a[1] > b[1])

export const isSame = (a: Cursor, b: Cursor): boolean =>
  a.seen?.process === b.seen?.process &&
  a.seen?.number === b.seen?.number &&
  a.shards.every(([ms, sequence], at) => ms === b.shards[at]?.[0] && sequence === b.shards[at]?.[1])

/** Opaque text of a cursor: every process understands it, also after restarts. */
export function encodeCursor({ shards, seen }: Cursor): string {
  const bytes = Buffer.alloc(CURSOR_BYTES)
  shards.forEach(([ms, sequence], shard) => {
    bytes.writeUIntBE(ms, shard * ENTRY_BYTES, MS_BYTES)
    bytes.writeUIntBE(sequence, shard * ENTRY_BYTES + MS_BYTES, SEQUENCE_BYTES)
  })
  if (seen) {
    bytes.writeUIntBE(seen.process, SHARDS_BYTES, PROCESS_BYTES)
    bytes.writeUIntBE(seen.number, SHARDS_BYTES + PROCESS_BYTES, NUMBER_BYTES)
    bytes.writeUIntBE(seen.asOf, SHARDS_BYTES + PROCESS_BYTES + NUMBER_BYTES, MS_BYTES)
  }
  return bytes.toString('base64url')
}

/** The cursor of a text, or null when no answer of ours gave it. Those of before there were changes are known, too. */
export function decodeCursor(text: string): Cursor | null {
  const bytes = Buffer.from(text, 'base64url')
  const isOld = bytes.length === SHARDS_BYTES
  if ((bytes.length !== CURSOR_BYTES && !isOld) || bytes.toString('base64url') !== text) return null
  const shards = Array.from(
    { length: SHARD_COUNT },
    (_, shard): EntryNumber => [
      bytes.readUIntBE(shard * ENTRY_BYTES, MS_BYTES),
      bytes.readUIntBE(shard * ENTRY_BYTES + MS_BYTES, SEQUENCE_BYTES),
    ],
  )
  if (isOld) return { shards, seen: null }
  const process = bytes.readUIntBE(SHARDS_BYTES, PROCESS_BYTES)
  const number = bytes.readUIntBE(SHARDS_BYTES + PROCESS_BYTES, NUMBER_BYTES)
  const asOf = bytes.readUIntBE(SHARDS_BYTES + PROCESS_BYTES + NUMBER_BYTES, MS_BYTES)
  return { shards, seen: { process, number, asOf } }
}
