import { matchesEtag } from '@palanquin/service/http/etag'
import { bestEncoding, compress, type Encoding } from './encoding.ts'
import { PrebuiltResponse } from './prebuilt-response.ts'

type Bytes = Uint8Array<ArrayBuffer>
/** The response to a client that does not have it, and to one that does. */
type Variant = { etag: string; whole: PrebuiltResponse; unchanged: PrebuiltResponse }
/** Compressed forms that a build has made. */
export type ReadyMade = Readonly<Record<Exclude<Encoding, 'identity'>, Bytes>>

/** Images and fonts are compressed already. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:(?:[\w.+-]+\+)?json|javascript)|image\/svg\+xml)/
/** A smaller response fits into no fewer packets when compressed. */
const COMPRESSED_BYTES_MIN = 1_024
/** 72 bits of SHA-256. */
const TAG_CHARACTERS = 12

/**
 * The same bytes for everybody, served from memory: plain, and compressed where it saves. Each variant is made once, at its
 * first request, and has its own ETag.
 */
export class Asset {
  /** Of the bytes, without their encoding. */
  readonly etag: string
  readonly #bytes: Bytes
  readonly #headers: Readonly<Record<string, string>>
  readonly #isCompressible: boolean
  readonly #made = new Map<Encoding, Variant>()
  readonly #making = new Map<Encoding, Promise<Variant>>()
  readonly #readyMade: ReadyMade | undefined

  /** `headers` are on every response with it; an `etag` among them is taken instead of one of our own. */
  constructor(
    content: Bytes | string,
    { etag, ...headers }: Readonly<Record<string, string>>,
    readyMade?: ReadyMade,
  ) {
    this.#readyMade = readyMade
    this.#bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    this.etag = etag ?? tagOf(this.#bytes)
    this.#isCompressible =
      COMPRESSIBLE.test(headers['content-type'] ?? '') &&
      headers['content-encoding'] === undefined &&
      this.#bytes.byteLength >= COMPRESSED_BYTES_MIN
    this.#headers = this.#isCompressible ? withVary(headers) : headers
  }

  /** 200 in the best encoding that the client accepts, or 304 where it has that variant. */
  async respond(client: Headers): Promise<PrebuiltResponse> {
    const encoding = this.#encodingFor(client)
    return responseOf(this.#made.get(encoding) ?? (await this.#make(encoding)), client)
  }

  /** The same, if that variant was made before. */
  prebuilt(client: Headers): PrebuiltResponse | undefined {
    const variant = this.#made.get(this.#encodingFor(client))
    return variant && responseOf(variant, client)
  }

  #encodingFor(client: Headers): Encoding {
    return this.#isCompressible ? bestEncoding(client.get('accept-encoding')) : 'identity'
  }

  #make(encoding: Encoding): Promise<Variant> {
    const making = this.#making.get(encoding) ?? this.#encode(encoding)
    this.#making.set(encoding, making)
    return making
  }

  async #encode(encoding: Encoding): Promise<Variant> {
    const bytes =
      encoding === 'identity'
        ? this.#bytes
        : (this.#readyMade?.[encoding] ?? (await compress(this.#bytes, encoding)))
    const etag = encoding === 'identity' ? this.etag : this.etag.replace(/"$/, `-${encoding}"`)
    const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding }
    // RFC 9110, 15.4.5: a 304 has the headers that the 200 would have had, but for those of its body.
    const { 'content-type': _, 'content-encoding': __, ...ofUnchanged } = this.#headers
    const variant = {
      etag,
      whole: new PrebuiltResponse({
        status: 200,
        headers: { ...this.#headers, ...encoded, etag },
        body: new Blob([bytes]),
      }),
      unchanged: new PrebuiltResponse({ status: 304, headers: { ...ofUnchanged, etag }, body: null }),
    }
    this.#made.set(encoding, variant)
    return variant
  }
}

function responseOf({ etag, whole, unchanged }: Variant, client: Headers): PrebuiltResponse {
  const known = client.get('if-none-match')
  return known !== null && matchesEtag(known, etag) ? unchanged : whole
}

const tagOf = (bytes: Bytes): string =>
  `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, TAG_CHARACTERS)}"`

const withVary = ({ vary, ...headers }: Readonly<Record<string, string>>): Record<string, string> => ({
  ...headers,
  vary: vary === undefined ? 'accept-encoding' : `accept-encoding, ${vary}`,
})
