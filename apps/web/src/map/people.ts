import type { People } from '../api/types.ts'

/** A person who is shown one by one: `name` is null for who chose to have none. */
export type Person = { id: string; lat: number; lng: number; recordedAtMs: number; name: string | null }

const MICRODEGREES = 1_000_000

/** The columns of `/data` as people. */
export const peopleOf = ({ ids, lat, lng, recordedAt, displayName }: People): Person[] =>
  ids.map((id, at) => ({
    id,
    lat: (lat[at] ?? 0) / MICRODEGREES,
    lng: (lng[at] ?? 0) / MICRODEGREES,
    recordedAtMs: recordedAt[at] ?? 0,
    name: displayName[at] ?? null,
  }))
