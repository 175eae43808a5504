import type { Log } from '@palanquin/service/log'
import { singleFlight } from '@palanquin/service/memoize'
import { type CryptoKey, importJWK } from 'jose'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { AWAY, type LineLogin } from './line-login.ts'

/** LINE's keys change rarely; one that it withdraws is gone from here after an hour, as LINE's own max-age says. */
const AGE_MS_MAX = 3_600_000
/** However many tokens name unknown keys, LINE is asked for its keys at most so often. */
const RELOAD_PAUSE_MS = 5_000
const KEYS_MAX = 32

/** What a key may do is fixed here and not read from a token: it verifies ES256 and nothing else. */
export const ALGORITHM = 'ES256'

/** A public key on P-256 as RFC 7517 writes it; LINE publishes no others. */
const PublishedKey = Type.Object({
  kid: Type.String({ minLength: 1 }),
  kty: Type.Literal('EC'),
  crv: Type.Literal('P-256'),
  x: Type.String(),
  y: Type.String(),
})
const isKey = Compile(PublishedKey)
const isKeySet = Compile(Type.Object({ keys: Type.Array(Type.Unknown(), { maxItems: KEYS_MAX }) }))

/**
 * The public keys of LINE's ID tokens. jose's own remote set is not used: it fails when its keys are old and LINE is
 * away, and these go on with the keys of yesterday.
 */
export class PublishedKeys {
  readonly #line: Pick<LineLogin, 'keys'>
  readonly #log: Log
  readonly #nowMs: () => number
  readonly #share = singleFlight<void>()
  #keys = new Map<string, CryptoKey>()
  #requestedMs = Number.NEGATIVE_INFINITY
  #loadedMs = Number.NEGATIVE_INFINITY

  constructor({ line, log, nowMs }: { line: Pick<LineLogin, 'keys'>; log: Log; nowMs: () => number }) {
    this.#line = line
    this.#log = log
    this.#nowMs = nowMs
  }

  /** The key of an id, at once where it is known; undefined when LINE publishes none, or could not be asked. */
  async find(keyId: string): Promise<CryptoKey | undefined> {
    const known = this.#keys.get(keyId)
    if (known === undefined) await this.#reload()
    else if (this.#nowMs() - this.#loadedMs >= AGE_MS_MAX) void this.#reload()
    return known ?? this.#keys.get(keyId)
  }

  /** Whether LINE has just said which keys there are: a token of another key is none of its. */
  get isFresh(): boolean {
    return this.#nowMs() - this.#loadedMs <= RELOAD_PAUSE_MS
  }

  #reload(): Promise<void> {
    return this.#share('keys', async () => {
      if (this.#nowMs() - this.#requestedMs < RELOAD_PAUSE_MS) return
      this.#requestedMs = this.#nowMs()
      await this.#load()
    })
  }

  async #load(): Promise<void> {
    const body = await this.#line.keys()
    if (body === AWAY) return
    if (!isKeySet.Check(body))
      return this.#log.warn(
        { event: 'line_login.keys_unknown' },
        'LINE Login publishes something else than keys',
      )
    const entries = await Promise.all(body.keys.map((key) => (isKey.Check(key) ? this.#import(key) : [])))
    this.#keys = new Map(entries.flat())
    this.#loadedMs = this.#nowMs()
  }

  async #import({ kid, kty, crv, x, y }: Static<typeof PublishedKey>): Promise<[string, CryptoKey][]> {
    try {
      const key = await importJWK({ kty, crv, x, y }, ALGORITHM)
      return key instanceof Uint8Array ? [] : [[kid, key]]
    } catch (error) {
      this.#log.warn(
        { event: 'line_login.key_unusable', keyId: kid, reason: String(error) },
        'A key of LINE Login cannot be used',
      )
      return []
    }
  }
}
