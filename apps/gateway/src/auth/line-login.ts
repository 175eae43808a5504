import { withoutTrailingSlash } from '@palanquin/service/base-url'
import type { Log } from '@palanquin/service/log'

/** LINE answers in a tenth of that; the gateway's own deadline is longer than two such calls. */
const DEADLINE_MS = 3_000
/** Calls under way; what is over that is told to come again, so that a LINE that stalls holds up nothing else. */
const CALLS_MAX = 32

/** 400 is LINE's own no. One of the others proves nobody either, and coming again would not help. */
const REFUSALS = [400, 401, 403, 404]

/** LINE does not answer, not in time, not sensibly, or has too much to do: nothing is known of the token. */
export const AWAY = 'away'

/** LINE Login's side of an ID token: its public keys, and its own verdict. */
export class LineLogin {
  readonly #base: string
  readonly #channelId: string
  readonly #log: Log
  readonly #deadlineMs: number
  #underWay = 0
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
    const answer = await this.#ask('/oauth2/v2.1/certs', {}, [200])
    return answer === AWAY ? AWAY : answer.said
  }

  /** `POST /oauth2/v2.1/verify`: the claims as they came; undefined for a token that LINE refuses. */
  async verify(token: string): Promise<unknown> {
    const body = new URLSearchParams({ id_token: token, client_id: this.#channelId })
    const answer = await this.#ask('/oauth2/v2.1/verify', { method: 'POST', body }, [200, ...REFUSALS])
    if (answer === AWAY) return AWAY
    return answer.status === 200 ? answer.said : undefined
  }

  /** Never throws. `statuses`: those that the endpoint is known for; any other tells nothing of the token. */
  async #ask(
    path: string,
    init: RequestInit,
    statuses: readonly number[],
  ): Promise<{ status: number; said: unknown } | typeof AWAY> {
    if (this.#underWay >= CALLS_MAX) return AWAY
    this.#underWay++
    try {
      const signal = AbortSignal.timeout(this.#deadlineMs)
      const answer = await fetch(this.#base + path, { ...init, redirect: 'manual', signal })
      if (!statuses.includes(answer.status)) throw new Error(`LINE Login answered ${answer.status}`)
      const said: unknown = await answer.json()
      this.#note(false)
      return { status: answer.status, said }
    } catch (error) {
      this.#note(true, error)
      return AWAY
    } finally {
      this.#underWay--
    }
  }

  /** One line when it goes and one when it is back. A reason never has the token in it: that was in the body. */
  #note(away: boolean, error?: unknown): void {
    if (away === this.#away) return
    this.#away = away
    if (away) this.#log.warn({ reason: reasonOf(error) }, 'LINE Login is away: new ID tokens may wait for it')
    else this.#log.info('LINE Login is back')
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
