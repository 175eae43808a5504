import { matchesEtag } from '@palanquin/service/http/etag'
import { acceptedEncodings, compress, type Encoding } from '../pages/encoding.ts'
import type { PlainResponse } from '../response.ts'

/** A smaller response fits into no fewer packets when compressed. */
const COMPRESSED_BYTES_MIN = 1_024

/** A 200 of a service that is the same for all readers: compressed once for each encoding that they accept, not for each of them. */
export class PublicResponse {
  readonly #plain: PlainResponse
  readonly #bytes: Uint8Array<ArrayBuffer> | undefined
  readonly #variants = new Map<Encoding, Promise<PlainResponse>>()

  constructor(plain: PlainResponse) {
    this.#bytes = compressibleBytes(plain)
    this.#plain = this.#bytes ? { ...plain, headers: { ...plain.headers, vary: 'accept-encoding' } } : plain
  }

  /** Itself where the ETag is the same, so that it is not compressed again. */
  orNewer(plain: PlainResponse): PublicResponse {
    const { etag } = plain.headers
    return etag !== undefined && etag === this.#plain.headers.etag ? this : new PublicResponse(plain)
  }

  /** In the best encoding that the reader accepts, or a 304 where it has that variant. */
  async for(reader: Headers): Promise<PlainResponse> {
    const response = this.#bytes ? await this.#variant(this.#bytes, reader) : this.#plain
    return forReader(response, reader.get('if-none-match'))
  }

  #variant(bytes: Uint8Array<ArrayBuffer>, reader: Headers): Promise<PlainResponse> {
    const [encoding = 'identity'] = acceptedEncodings(reader.get('accept-encoding'))
    const made = this.#variants.get(encoding) ?? this.#make(bytes, encoding)
    this.#variants.set(encoding, made)
    return made
  }

  /** Bytes that many responses share without a copy each. */
  async #make(bytes: Uint8Array<ArrayBuffer>, encoding: Encoding): Promise<PlainResponse> {
    if (encoding === 'identity') return { ...this.#plain, body: new Blob([bytes]) }
    const { etag, ...headers } = this.#plain.headers
    const tag = etag === undefined ? {} : { etag: etag.replace(/"$/, `-${encoding}"`) }
    return {
      ...this.#plain,
      headers: { ...headers, ...tag, 'content-encoding': encoding },
      body: new Blob([await compress(bytes, encoding)]),
    }
  }
}

/** The bytes of a body that is worth it and is not compressed yet. */
function compressibleBytes({ headers, body }: PlainResponse): Uint8Array<ArrayBuffer> | undefined {
  if (headers['content-encoding'] !== undefined || !(body instanceof ArrayBuffer)) return undefined
  return body.byteLength >= COMPRESSED_BYTES_MIN ? new Uint8Array(body) : undefined
}

/** RFC 9110, 15.4.5: a 304 has the headers that the 200 would have had, but for those of its body. */
export function forReader(response: PlainResponse, ifNoneMatch: string | null): PlainResponse {
  const { etag, 'content-type': _, 'content-encoding': __, ...headers } = response.headers
  if (response.status !== 200 || etag === undefined || !matchesEtag(ifNoneMatch, etag)) return response
  if (response.body instanceof ReadableStream) void response.body.cancel()
  return { status: 304, headers: { ...headers, etag }, body: null }
}
