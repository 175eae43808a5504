import { matchesEtag } from '@palanquin/service/http/etag'
import type { PlainResponse } from '../response.ts'
import { acceptedEncodings, compress, type Encoding } from './encoding.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Variant = { encoding: Encoding; body: Blob; etag: string }
/** Compressed forms that a build has made. */
export type ReadyMade = Readonly<Record<Exclude<Encoding, 'identity'>, Bytes>>

/** Images and fonts are compressed already. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript|manifest\+json)|image\/svg\+xml)/
/** A smaller response fits into no fewer packets when compressed. */
const COMPRESSED_BYTES_MIN = 1_024
/** 72 bits of SHA-256. */
const TAG_CHARACTERS = 12

/**
 * Bytes served from memory: plain, and compressed where it saves. Each variant is made once, at its first request, and
 * has its own ETag.
 */
export class Asset {
  readonly #bytes: Bytes
  readonly #headers: Readonly<Record<string, string>>
  readonly #tag: string
  readonly #isCompressible: boolean
  readonly #variants = new Map<Encoding, Promise<Variant>>()
  readonly #readyMade: ReadyMade | undefined

  /** `headers` are on every response with it, its content-type among them. */
  constructor(
    content: Bytes | string,
    headers: Readonly<Record<string, string>> & { 'content-type': string },
    readyMade?: ReadyMade,
  ) {
    this.#readyMade = readyMade
    this.#bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    this.#tag = new Bun.CryptoHasher('sha256')
      .update(this.#bytes)
      .digest('base64url')
      .slice(0, TAG_CHARACTERS)
    this.#isCompressible =
      COMPRESSIBLE.test(headers['content-type']) && this.#bytes.byteLength >= COMPRESSED_BYTES_MIN
    this.#headers = this.#isCompressible ? { ...headers, vary: 'accept-encoding' } : headers
  }

  /** 200 in the best encoding that the client accepts, or 304 where it has that variant. */
  async respond(request: Headers): Promise<PlainResponse> {
    const accepted = this.#isCompressible ? acceptedEncodings(request.get('accept-encoding')) : []
    const { encoding, body, etag } = await this.#variant(accepted[0] ?? 'identity')
    const headers = { ...this.#headers, etag }
    if (matchesEtag(request.get('if-none-match'), etag)) return { status: 304, headers, body: null }
    return {
      status: 200,
      headers: encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding },
      body,
    }
  }

  #variant(encoding: Encoding): Promise<Variant> {
    const made = this.#variants.get(encoding) ?? this.#make(encoding)
    this.#variants.set(encoding, made)
    return made
  }

  async #make(encoding: Encoding): Promise<Variant> {
    const bytes =
      encoding === 'identity'
        ? this.#bytes
        : (this.#readyMade?.[encoding] ?? (await compress(this.#bytes, encoding)))
    const etag = encoding === 'identity' ? `"${this.#tag}"` : `"${this.#tag}-${encoding}"`
    return { encoding, body: new Blob([bytes]), etag }
  }
}
