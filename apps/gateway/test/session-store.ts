import type { Role } from '@palanquin/domain/role'
import type {
  LinkRequest,
  NewSession,
  Recovery,
  SessionEnd,
  SessionsEnded,
  StoredSession,
} from '@palanquin/domain/session'
import { ARRIVED_HEADER } from '@palanquin/service/http/headers'

const DAY_MS = 86_400_000

/** The sessions of the engagement service, in memory. */
export class SessionStore {
  readonly #sessions = new Map<string, StoredSession>()
  readonly #codes = new Map<string, string>()
  /** Whom an attempt with a code has signed in. */
  readonly #attempts = new Map<string, string>()
  readonly #idOf = new Map<string, string>()
  readonly #changed = new Set<string>()
  readonly roles = new Map<string, Role>()
  /** The bodies that it received. */
  readonly received: string[] = []
  /** How long each call had been under way at the gateway by what it says, in milliseconds. */
  readonly ages: number[] = []
  /** How often sessions were looked up. */
  lookups = 0
  isAway = false

  clear(): void {
    for (const map of [this.#sessions, this.#codes, this.#attempts, this.#changed, this.roles]) map.clear()
    this.isAway = false
  }

  /** Changes a session as time or another gateway would. */
  change(hash: string, to: Partial<StoredSession>): void {
    const session = this.#sessions.get(hash)
    if (!session) throw new Error('no such session')
    this.#sessions.set(hash, { ...session, ...to })
    this.#changed.add(hash)
  }

  /** The answer of a path below `/internal/sessions`. */
  async respond(request: Request): Promise<Response> {
    if (this.isAway) return Response.json({ error: 'away' }, { status: 503 })
    const { pathname } = new URL(request.url)
    if (pathname === '/internal/sessions/changed') return data({ hashes: [...this.#changed] })
    const text = await request.text()
    this.received.push(text)
    const arrivedAt = request.headers.get(ARRIVED_HEADER)
    if (arrivedAt !== null) this.ages.push(Date.now() - Number(arrivedAt))
    if (pathname === '/internal/sessions/find') {
      const { hashes }: { hashes: string[] } = JSON.parse(text)
      return data({ sessions: this.#find(hashes) })
    }
    if (pathname === '/internal/sessions/link') return this.#link(JSON.parse(text))
    if (pathname === '/internal/sessions/recover') return this.#recover(JSON.parse(text))
    if (pathname === '/internal/sessions/own') return data(this.#own(JSON.parse(text)))
    if (pathname === '/internal/sessions/end-own') {
      const { userId, id }: { userId: string; id: string } = JSON.parse(text)
      const hash = this.#idOf.get(id) ?? ''
      const isOwn = this.#sessions.get(hash)?.userId === userId
      return data({ ended: isOwn ? this.#end({ hash, all: false }) : [] })
    }
    if (pathname === '/internal/sessions/end') return data(this.#signOut(JSON.parse(text)))
    return data(this.#start(JSON.parse(text)))
  }

  #find(hashes: string[]): StoredSession[] {
    this.lookups++
    return hashes.flatMap((hash) => {
      const session = this.#sessions.get(hash)
      return session ? [{ ...session, role: session.role ?? this.#roleOf(session) }] : []
    })
  }

  #start(started: NewSession): StoredSession {
    const { hash, kind, userId, adminKey, adminRole, codeHash, replaces, attemptHash } = started
    if (replaces !== null) this.#end({ hash: replaces, all: false })
    if (codeHash !== null && userId !== null) this.#codes.set(codeHash, userId)
    if (attemptHash && userId !== null) this.#attempts.set(`${attemptHash} ${attemptHash}`, userId)
    const isStaff = adminRole !== null || this.roles.has(userId ?? '')
    const expiresAt = new Date(Date.now() + (isStaff ? DAY_MS / 2 : 30 * DAY_MS)).toISOString()
    const session = { hash, kind, userId, adminKey, isStaff, role: adminRole, isOver: false, expiresAt }
    this.#sessions.set(hash, session)
    return { ...session, role: adminRole ?? this.#roleOf(session) }
  }

  #own({ userId, current }: { userId: string; current: string | null }) {
    const own = [...this.#sessions.values()].filter((one) => one.userId === userId && !one.isOver)
    const items = own.map(({ hash, kind, expiresAt }) => {
      const id = `id-${hash.slice(0, 8)}`
      this.#idOf.set(id, hash)
      const at = new Date().toISOString()
      return { id, kind, expiresAt, createdAt: at, lastSeenAt: at, current: hash === current, device: null }
    })
    return { items, nextCursor: null, total: items.length }
  }

  #roleOf({ userId, isStaff }: Pick<StoredSession, 'userId' | 'isStaff'>): Role | null {
    return isStaff ? (this.roles.get(userId ?? '') ?? null) : null
  }

  #recover({ hash, codeHash, nextCodeHash, replaces, attemptHash }: Recovery): Response {
    const attempt = `${codeHash} ${attemptHash}`
    const userId = this.#codes.get(codeHash) ?? this.#attempts.get(attempt)
    if (userId === undefined) return Response.json({ error: 'unknown' }, { status: 404 })
    this.#codes.delete(codeHash)
    if (attemptHash) this.#attempts.set(attempt, userId)
    const noAdmin = { adminKey: null, adminRole: null }
    return data(this.#start({ ...noAdmin, hash, kind: 'device', userId, codeHash: nextCodeHash, replaces }))
  }

  /** Engagement has tests of what is moved. */
  #link({ present, session }: LinkRequest): Response {
    const device = this.#sessions.get(present)
    if (!device || device.isOver) return Response.json({ error: 'no session' }, { status: 404 })
    if (device.kind !== 'device') return Response.json({ error: 'no device' }, { status: 409 })
    return data({ session: this.#start(session), complete: true })
  }

  #signOut({ hash, nextCodeHash }: SessionEnd): SessionsEnded {
    const { userId, kind, isOver } = this.#sessions.get(hash) ?? {}
    const hasNextCode = nextCodeHash !== null && kind === 'device' && !isOver
    if (hasNextCode && userId) {
      for (const [code, of] of this.#codes) if (of === userId) this.#codes.delete(code)
      this.#codes.set(nextCodeHash, userId)
    }
    return { ended: this.#end({ hash, all: nextCodeHash !== null }), hasNextCode }
  }

  #end({ hash, all }: { hash: string; all: boolean }): string[] {
    const { userId } = this.#sessions.get(hash) ?? {}
    const ended: string[] = []
    for (const [other, session] of this.#sessions) {
      const isMeant = other === hash || (all && userId !== null && session.userId === userId)
      if (!isMeant || session.isOver) continue
      this.change(other, { isOver: true })
      ended.push(other)
    }
    return ended
  }
}

const data = (value: unknown): Response => Response.json({ ok: true, data: value })
