import { readFileSync } from 'node:fs'

/** `status` 0: the connection broke during the response. */
export type Answered = { status: number; retryAfter: boolean; tookMs: number }

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = '0\r\n\r\n'

/**
 * One TLS connection that sends one request at a time, as bytes: `fetch` would cost more than the server
 * under test, and queues invisibly.
 */
export class RawConnection {
  readonly #url: URL
  readonly #ca: string
  #socket: Bun.Socket | undefined
  #text = ''
  #bytes = 0
  #wanted: number | undefined
  #sentMs = 0
  #settle: ((answered: Answered) => void) | undefined

  constructor({ url, caFile }: { url: string; caFile: string }) {
    this.#url = new URL(url)
    this.#ca = readFileSync(caFile, 'utf8')
  }

  /** Connects if needed. Rejects when that fails. */
  async open(): Promise<void> {
    if (this.#socket) return
    const shaken = Promise.withResolvers<void>()
    const socket = await Bun.connect({
      hostname: this.#url.hostname,
      port: Number(this.#url.port),
      tls: { ca: this.#ca, serverName: this.#url.hostname },
      socket: {
        handshake: (_, isTrusted) =>
          isTrusted ? shaken.resolve() : shaken.reject(new Error('the certificate is not trusted')),
        data: (_, bytes) => this.#take(bytes),
        close: () => {
          shaken.reject(new Error('the connection was closed'))
          this.#broken()
        },
        error: () => this.#broken(),
      },
    })
    await shaken.promise
    this.#socket = socket
  }

  /** Sends one request (method and path, headers, body) and resolves with its response; never rejects. */
  async send(line: string, { headers = '', body = '' } = {}): Promise<Answered> {
    const startedMs = performance.now()
    try {
      await this.open()
    } catch {
      return { status: 0, retryAfter: false, tookMs: performance.now() - startedMs }
    }
    return await new Promise((resolve) => {
      this.#settle = resolve
      this.#sentMs = startedMs
      const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
      this.#socket?.write(`${line} HTTP/1.1\r\nHost: ${this.#url.host}\r\n${headers}${length}\r\n${body}`)
    })
  }

  close(): void {
    this.#socket?.end()
    this.#socket = undefined
  }

  #take(bytes: Buffer): void {
    this.#bytes += bytes.length
    // Only the end of a large body is examined.
    this.#text = this.#wanted === undefined ? this.#text + bytes.toString('latin1') : this.#text
    if (this.#wanted === undefined) {
      const end = this.#text.indexOf(HEAD_END)
      if (end < 0) return
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#text.slice(0, end))?.[1]
      this.#wanted = length === undefined ? Number.POSITIVE_INFINITY : end + HEAD_END.length + Number(length)
    }
    const isWhole =
      this.#wanted === Number.POSITIVE_INFINITY
        ? bytes.toString('latin1').endsWith(LAST_CHUNK)
        : this.#bytes >= this.#wanted
    if (isWhole) this.#finish(Number(this.#text.slice(9, 12)), /\r\nretry-after: \d/i.test(this.#text))
  }

  #broken(): void {
    this.#socket = undefined
    this.#finish(0, false)
  }

  #finish(status: number, retryAfter: boolean): void {
    const settle = this.#settle
    this.#settle = undefined
    this.#text = ''
    this.#bytes = 0
    this.#wanted = undefined
    settle?.({ status, retryAfter, tookMs: performance.now() - this.#sentMs })
  }
}
