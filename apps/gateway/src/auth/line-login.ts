import { withoutTrailingSlash } from '@palanquin/service/base-url'
import type { Log } from '@palanquin/service/log'
import Type from 'typebox'
import { Compile } from 'typebox/compile'

/** LINE answers in a tenth of that; the gateway's own deadline is longer than two such calls. */
const DEADLINE_MS = 3_000
/** Requests in flight; more are rejected, so that a stalled LINE delays nothing else. */
const IN_FLIGHT_MAX = 32

/** 400 is LINE's verdict. The others say as little in favour of a token, and a repetition would not help. */
const REJECTIONS = [400, 401, 403, 404]

const hasIdToken = Compile(Type.Object({ id_token: Type.String() }))

/** LINE is unreachable, late, overloaded or incomprehensible: nothing is known of the token. */
export const AWAY = 'away'

/** An authorization code as it is exchanged: `secret` is the channel's. */
type Exchange = { code: string; verifier: string; redirectUri: string; secret: string }

/** LINE Login's endpoints: its public keys, its own verification of ID tokens, and the exchange of authorization codes. */
export class LineLogin {
  readonly #base: string
  readonly #channelId: string
  readonly #log: Log
  readonly #deadlineMs: number
  #inFlight = 0
  #away = false

  constructor({
    base,
    channelId,
    log,
    deadlineMs = DEADLINE_MS,
  }: { base: string; channelId: string; log: Log; deadlineMs?: number }) {
    this.#base = withoutTrailingSlash(base)
    this.#channelId = channelId
    this.#log = log
    this.#deadlineMs = deadlineMs
  }

  /** `GET /oauth2/v2.1/certs`, as it came. */
  async keys(): Promise<unknown> {
    const response = await this.#fetch('/oauth2/v2.1/certs', {}, [200])
    return response === AWAY ? AWAY : response.body
  }

  /** `POST /oauth2/v2.1/verify`: the claims as they came; undefined for a token that LINE rejects. */
  async verify(token: string): Promise<unknown> {
    const body = new URLSearchParams({ id_token: token, client_id: this.#channelId })
    const response = await this.#fetch('/oauth2/v2.1/verify', { method: 'POST', body }, [200, ...REJECTIONS])
    if (response === AWAY) return AWAY
    return response.status === 200 ? response.body : undefined
  }

  /**
   * `POST /oauth2/v2.1/token`: the ID token of an authorization code (PKCE); undefined for a code that LINE rejects, as it
   * does for one that was used, is ten minutes old, or belongs to another verifier or redirect address.
   */
  async exchange({
    code,
    verifier,
    redirectUri,
    secret,
  }: Exchange): Promise<string | undefined | typeof AWAY> {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      client_id: this.#channelId,
      client_secret: secret,
    })
    // 401 is about our secret, and so is no verdict on the code.
    const response = await this.#fetch('/oauth2/v2.1/token', { method: 'POST', body }, [200, 400])
    if (response === AWAY) return AWAY
    return response.status === 200 && hasIdToken.Check(response.body) ? response.body.id_token : undefined
  }

  /** Never throws. Any status but the endpoint's known ones says nothing of the token. */
  async #fetch(
    path: string,
    init: RequestInit,
    statuses: readonly number[],
  ): Promise<{ status: number; body: unknown } | typeof AWAY> {
    if (this.#inFlight >= IN_FLIGHT_MAX) return AWAY
    this.#inFlight++
    try {
      const signal = AbortSignal.timeout(this.#deadlineMs)
      const response = await fetch(this.#base + path, { ...init, redirect: 'manual', signal })
      if (!statuses.includes(response.status)) throw new Error(`LINE Login answered ${response.status}`)
      const body: unknown = await response.json()
      this.#note(false)
      return { status: response.status, body }
    } catch (error) {
      this.#note(true, error)
      return AWAY
    } finally {
      this.#inFlight--
    }
  }

  /** Logs each change once. A reason never contains the token: that was in the body. */
  #note(away: boolean, error?: unknown): void {
    if (away === this.#away) return
    this.#away = away
    if (away)
      this.#log.warn(
        { event: 'line_login.unavailable', reason: reasonOf(error) },
        'LINE Login is unavailable: new ID tokens may have to wait',
      )
    else this.#log.info({ event: 'line_login.recovered' }, 'LINE Login answers again')
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
