import { createHash } from 'node:crypto'
import { LEVELS, type LevelKm } from '@palanquin/domain/level'
import { Nullable } from '@palanquin/domain/optional'
import { Profile, Visibility } from '@palanquin/domain/participant'
import { ok } from '@palanquin/service/http/app'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Snapshot } from './snapshot.ts'

/** What a profile was computed from and does not say. */
const Basis = Type.Object({
  /** Unrounded, because a level counts them so. */
  walkedKm: Type.Number(),
  motorizedKm: Type.Number(),
  /** How many check-ins of the profile were pending, and how far the shard's buffer was flushed then. */
  pendingCheckins: Type.Integer(),
  cursor: Type.String(),
  /** For the person alone; null without a row. */
  visibility: Nullable(Visibility),
  consentAtMs: Nullable(Type.Number()),
})
export type Basis = Static<typeof Basis>

export const basisOf = ({ participant, track, pendingCheckins, cursor }: Snapshot): Basis => ({
  walkedKm: track?.walkedKm ?? 0,
  motorizedKm: track?.motorizedKm ?? 0,
  pendingCheckins,
  cursor,
  visibility: participant?.visibility ?? null,
  consentAtMs: participant?.consentAtMs ?? null,
})

/** A profile and its basis. */
export type BasedProfile = { profile: Profile; basis: Basis }

/** The response of a profile, as it is sent and cached. */
export const responseOf = (profile: Profile): string => JSON.stringify(ok(profile))

const bases = Compile(Basis)
const responses = Compile(Type.Object({ ok: Type.Literal(true), data: Profile }))

/**
 * An entry is three lines: the format with the version, the basis, and the finished response, which is passed on unread while
 * the version holds. The format has a hash of whatever changes a response of the same figures, so that
 * entries of a service with other fields, levels or `LEVEL_KM` are as none. No line begins as a tombstone does (`dropped`).
 */
export function entryFormat(levelKm: LevelKm) {
  const name = createHash('sha256')
    .update(JSON.stringify([Profile, Basis, LEVELS, levelKm]))
    .digest('hex')
  const format = `profile-${name.slice(0, 12)} `
  const headOf = (version: string) => `${format}${version}\n`
  return {
    write: (version: string, { profile, basis }: BasedProfile): string =>
      `${headOf(version)}${JSON.stringify(basis)}\n${responseOf(profile)}`,

    /** The response of an entry of this version; undefined for any other entry, a tombstone, and none. */
    responseOf: (raw: string, version: string): string | undefined => {
      const head = headOf(version)
      return raw.startsWith(head) ? raw.slice(raw.indexOf('\n', head.length) + 1) : undefined
    },

    /** What an entry of whatever version says; null for a tombstone, another format, and none. */
    parse: (raw: string): BasedProfile | null => {
      if (!raw.startsWith(format)) return null
      const [, basis, response] = raw.split('\n').map((line, at) => (at === 0 ? null : parsed(line)))
      return bases.Check(basis) && responses.Check(response) ? { profile: response.data, basis } : null
    },
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
