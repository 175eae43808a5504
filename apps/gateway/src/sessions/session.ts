import { ROLE_LEVEL } from '@palanquin/domain/role'
import type { SessionKind, StoredSession } from '@palanquin/domain/session'
import { personId } from '../rate-limit/claims.ts'
import type { Tier } from '../route.ts'

/** A session as this gateway knows it. */
export type Session = {
  hash: string
  kind: SessionKind
  /** Undefined for one that began with an admin token. */
  userId: string | undefined
  /** 0 for participants. */
  tier: Tier
  /** What counts its calls. */
  countedAs: string
  isStaff: boolean
  expiresAtMs: number
}

/** Why there is no session: it is over, or its token is none of ours. */
export type NoSession = 'over' | 'unknown'

/** A stored session at this time; one that began with an admin token lasts as long as the token is configured. */
export function readSession(
  { hash, kind, userId, isOver, isStaff, role, adminKey, expiresAt }: StoredSession,
  { nowMs, isAdminKey }: { nowMs: number; isAdminKey: (key: string) => boolean },
): Session | NoSession {
  const expiresAtMs = Date.parse(expiresAt)
  if (isOver || expiresAtMs <= nowMs) return 'over'
  if (adminKey !== null && !isAdminKey(adminKey)) return 'over'
  return {
    hash,
    kind,
    isStaff,
    expiresAtMs,
    userId: userId ?? undefined,
    tier: role === null ? 0 : ROLE_LEVEL[role],
    countedAs: adminKey === null ? personId(userId ?? '') : `session-of:${adminKey}`,
  }
}
