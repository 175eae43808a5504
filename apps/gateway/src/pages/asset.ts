import { matchesEtag } from '@palanquin/service/http/etag'
import type { PlainResponse } from '../answer.ts'
import { acceptedEncodings, compress, type Encoding } from './encoding.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Variant = { encoding: Encoding; body: Blob; etag: string }

/** What hardly gets shorter: pictures and fonts are compressed already. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript|manifest\+json)|image\/svg\+xml)/
/** Below this a compressed answer fits into no fewer packets. */
const COMPRESSED_BYTES_MIN = 1_024
/** 72 bits of SHA-256. */
const TAG_CHARACTERS = 12

/**
 * Bytes that are served from memory as they are: plain, and compressed where it pays. Each form is made once, when it is first
 * asked for, and has an ETag of its own.
 */
export class Asset {
  readonly #bytes: Bytes
  readonly #headers: Readonly<Record<string, string>>
  readonly #tag: string
  readonly #isCompressible: boolean
  readonly #forms = new Map<Encoding, Promise<Variant>>()

  /** `headers` are those of every answer with it, its content-type among them. */
  constructor(
    content: Bytes | string,
    headers: Readonly<Record<string, string>> & { 'content-type': string },
  ) {
    this.#bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    this.#tag = new Bun.CryptoHasher('sha256')
      .update(this.#bytes)
      .digest('base64url')
      .slice(0, TAG_CHARACTERS)
    this.#isCompressible =
      COMPRESSIBLE.test(headers['content-type']) && this.#bytes.byteLength >= COMPRESSED_BYTES_MIN
    this.#headers = this.#isCompressible ? { ...headers, vary: 'accept-encoding' } : headers
  }

  /** 200 in the best form that the client takes, or 304 where it has that. */
  async answer(request: Headers): Promise<PlainResponse> {
    const accepted = this.#isCompressible ? acceptedEncodings(request.get('accept-encoding')) : []
    const { encoding, body, etag } = await this.#form(accepted[0] ?? 'identity')
    const headers = { ...this.#headers, etag }
    if (matchesEtag(request.get('if-none-match'), etag)) return { status: 304, headers, body: null }
    return {
      status: 200,
      headers: encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding },
      body,
    }
  }

  #form(encoding: Encoding): Promise<Variant> {
    const made = this.#forms.get(encoding) ?? this.#make(encoding)
    this.#forms.set(encoding, made)
    return made
  }

  async #make(encoding: Encoding): Promise<Variant> {
    const bytes = encoding === 'identity' ? this.#bytes : await compress(this.#bytes, encoding)
    const etag = encoding === 'identity' ? `"${this.#tag}"` : `"${this.#tag}-${encoding}"`
    return { encoding, body: new Blob([bytes]), etag }
  }
}
