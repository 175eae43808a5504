import type { Log } from '@palanquin/service/log'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { AWAY, type LineLogin } from './line-login.ts'

/** LINE's keys change rarely; a key that it takes back is gone from here after so long, as LINE's own max-age says. */
const AGE_MS_MAX = 3_600_000
/** However many tokens name keys that nobody knows, LINE is asked for its keys at most so often. */
const PAUSE_MS = 60_000
const KEYS_MAX = 32

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
/** What a key is good for is fixed here, and not read from a token: it can verify ES256 and nothing else. */
const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** The public keys of LINE's ID tokens, by their ids. */
export class PublishedKeys {
  readonly #line: Pick<LineLogin, 'keys'>
  readonly #log: Log
  readonly #nowMs: () => number
  #keys = new Map<string, CryptoKey>()
  #askedMs = Number.NEGATIVE_INFINITY
  #readMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor({ line, log, nowMs }: { line: Pick<LineLogin, 'keys'>; log: Log; nowMs: () => number }) {
    this.#line = line
    this.#log = log
    this.#nowMs = nowMs
  }

  /**
   * The key of an id; undefined when LINE publishes none, or could not be asked. What is known is given at once: keys of
   * yesterday go on while LINE is away.
   */
  async find(keyId: string): Promise<CryptoKey | undefined> {
    const known = this.#keys.get(keyId)
    if (known === undefined) await this.#readAgain()
    else if (this.#nowMs() - this.#readMs >= AGE_MS_MAX) void this.#readAgain()
    return known ?? this.#keys.get(keyId)
  }

  /** One reading at a time. */
  #readAgain(): Promise<void> {
    if (this.#reading) return this.#reading
    if (this.#nowMs() - this.#askedMs < PAUSE_MS) return Promise.resolve()
    this.#askedMs = this.#nowMs()
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const said = await this.#line.keys()
    if (said === AWAY) return
    if (!isKeySet.Check(said)) return this.#log.warn('LINE Login publishes something else than keys')
    const entries = await Promise.all(said.keys.map((key) => (isKey.Check(key) ? this.#import(key) : [])))
    this.#keys = new Map(entries.flat())
    this.#readMs = this.#nowMs()
  }

  async #import({ kid, kty, crv, x, y }: Static<typeof PublishedKey>): Promise<[string, CryptoKey][]> {
    try {
      return [[kid, await crypto.subtle.importKey('jwk', { kty, crv, x, y }, ES256, false, ['verify'])]]
    } catch (error) {
      this.#log.warn({ keyId: kid, reason: String(error) }, 'a key of LINE Login cannot be used')
      return []
    }
  }
}

/** Whether a key signed these bytes, by ES256. */
export const isSignedBy = (
  key: CryptoKey,
  { signed, signature }: { signed: Uint8Array<ArrayBuffer>; signature: Uint8Array<ArrayBuffer> },
): Promise<boolean> => crypto.subtle.verify(ES256, key, signature, signed)
