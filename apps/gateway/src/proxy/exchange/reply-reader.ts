/** A reply whose length was announced and that has arrived whole. `closes`: its connection carries no further call. */
export type WholeReply = { status: number; headers: Headers; body: ArrayBuffer; closes: boolean }

type Head = Omit<WholeReply, 'body'> & { bodyBytes: number }

/** Ours have some two hundred bytes. */
const HEAD_BYTES_MAX = 16_384
const HEAD_END = '\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d)(?: |$)/
const LENGTH = /^\d{1,9}$/
const BODYLESS = new Set([204, 304])

/** Reads one HTTP/1.1 reply of an announced length out of a connection's bytes, however they are cut into pieces (RFC 9112). */
export class ReplyReader {
  readonly #bodyBytesMax: number
  #headBytes: Buffer = Buffer.alloc(0)
  #reply: WholeReply | undefined
  #bodyBytes = 0

  constructor({ bodyBytesMax }: { bodyBytesMax: number }) {
    this.#bodyBytesMax = bodyBytesMax
  }

  /**
   * The reply, once its last byte is there; 'unreadable' for what is no such reply: another version, a length that is missing,
   * too great or said twice, or bytes behind its end.
   */
  add(bytes: Buffer): WholeReply | 'unreadable' | undefined {
    if (this.#reply) return this.#addToBody(this.#reply, bytes)
    this.#headBytes = this.#headBytes.length === 0 ? bytes : Buffer.concat([this.#headBytes, bytes])
    const end = this.#headBytes.indexOf(HEAD_END)
    if (end < 0) return this.#headBytes.length > HEAD_BYTES_MAX ? 'unreadable' : undefined
    const head = headOf(this.#headBytes.toString('latin1', 0, end))
    if (!head || head.bodyBytes > this.#bodyBytesMax) return 'unreadable'
    const { bodyBytes, ...said } = head
    this.#reply = { ...said, body: new ArrayBuffer(bodyBytes) }
    return this.#addToBody(this.#reply, this.#headBytes.subarray(end + HEAD_END.length))
  }

  #addToBody(reply: WholeReply, bytes: Buffer): WholeReply | 'unreadable' | undefined {
    const left = reply.body.byteLength - this.#bodyBytes
    if (bytes.length > left) return 'unreadable'
    new Uint8Array(reply.body).set(bytes, this.#bodyBytes)
    this.#bodyBytes += bytes.length
    return bytes.length === left ? reply : undefined
  }
}

function headOf(text: string): Head | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const status = Number(STATUS_LINE.exec(first)?.[1])
  if (Number.isNaN(status)) return undefined
  const headers = new Headers()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) return undefined
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const length = headers.get('content-length')
  // Two lengths are joined by a comma; a body in chunks has none.
  const bodyBytes = BODYLESS.has(status) ? 0 : LENGTH.test(length ?? '') ? Number(length) : undefined
  if (bodyBytes === undefined || headers.has('transfer-encoding')) return undefined
  return { status, headers, bodyBytes, closes: /\bclose\b/i.test(headers.get('connection') ?? '') }
}
