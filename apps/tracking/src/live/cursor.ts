import { SHARD_COUNT } from '@palanquin/domain/ids'
import { splitEntryId } from '../buffer/entry-id.ts'

/** How far into each shard's stream a reader has seen: an entry id for every shard, as numbers. */
export type EntryNumber = readonly [ms: number, sequence: number]
export type Cursor = readonly EntryNumber[]

export const BEGINNING: Cursor = Array.from({ length: SHARD_COUNT }, () => [0, 0])

/** 48 bits of milliseconds last until the year 10889; nobody adds 4 billion entries in one of them. */
const MS_BYTES = 6
const SEQUENCE_BYTES = 4
const ENTRY_BYTES = MS_BYTES + SEQUENCE_BYTES

export const entryNumber = (id: string): EntryNumber => splitEntryId(id)

export const isBehind = (a: EntryNumber, b: EntryNumber): boolean =>
  a[0] > b[0] || (a[0] === b[0] && a[1] > b[1])

/** Opaque text of a cursor: the same in every process, and after restarts. */
export function encodeCursor(cursor: Cursor): string {
  const bytes = Buffer.alloc(SHARD_COUNT * ENTRY_BYTES)
  cursor.forEach(([ms, sequence], shard) => {
    bytes.writeUIntBE(ms, shard * ENTRY_BYTES, MS_BYTES)
    bytes.writeUIntBE(sequence, shard * ENTRY_BYTES + MS_BYTES, SEQUENCE_BYTES)
  })
  return bytes.toString('base64url')
}

/** The cursor of a text, or null when no answer of ours gave it. */
export function decodeCursor(text: string): Cursor | null {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== SHARD_COUNT * ENTRY_BYTES || bytes.toString('base64url') !== text) return null
  return Array.from({ length: SHARD_COUNT }, (_, shard) => [
    bytes.readUIntBE(shard * ENTRY_BYTES, MS_BYTES),
    bytes.readUIntBE(shard * ENTRY_BYTES + MS_BYTES, SEQUENCE_BYTES),
  ])
}
