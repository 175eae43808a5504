import type { Address } from '../address.ts'
import { Connection } from './connection.ts'
import type { WholeReply } from './reply-reader.ts'

/** A request with all of its body at hand. `target` begins with `/`. */
export type WholeRequest = {
  method: string
  target: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** The answers to a batch of 256 profiles have a tenth of it. */
const BODY_BYTES_MAX = 16 * 1_048_576
/** Of one copy, without a call. */
const IDLE_MAX = 32
/** A service closes a connection that was silent for a minute: one that it may be closing just now is not used. */
const IDLE_MS_MAX = 30_000

type Failure = 'unopened' | 'broken' | 'late'
type Idle = { connection: Connection; sinceMs: number }

/**
 * Calls one copy of a service, each over a connection that is kept for the next: HTTP/1.1 with announced lengths and nothing else.
 * `fetch` costs both sides together two to three times as much for a small call (docs/adr/0034-calls-gather-for-milliseconds.md).
 */
export class Exchange {
  readonly #address: Address
  readonly #host: string
  #idle: Idle[] = []

  constructor(address: Address) {
    this.#address = address
    this.#host = new URL(address.origin).host
  }

  /**
   * The reply; 'unopened' where the copy has seen nothing, 'broken' where it may have, 'late' after the deadline: it rejects for none of these.
   * @throws TypeError for a header or target that would begin another line
   */
  send(request: WholeRequest, { deadlineMs }: { deadlineMs: number }): Promise<WholeReply | Failure> {
    const message = messageOf(request, this.#host)
    return new Promise((resolve) => {
      let connection: Connection | undefined
      let isLate = false
      const timer = setTimeout(
        () => {
          isLate = true
          resolve('late')
          connection?.close()
        },
        Math.max(0, deadlineMs),
      )
      const settle = (reply: WholeReply | Failure) => {
        clearTimeout(timer)
        resolve(reply)
      }
      const carry = async (over: Connection) => {
        connection = over
        const reply = await over.send(message)
        if (reply !== 'broken' && !reply.closes) this.#keep(over)
        settle(reply)
      }
      const kept = this.#take()
      if (kept) return void carry(kept)
      this.#open().then(
        (opened) => (isLate ? this.#keep(opened) : void carry(opened)),
        () => settle('unopened'),
      )
    })
  }

  #open(): Promise<Connection> {
    const onClose = (closed: Connection) => {
      this.#idle = this.#idle.filter(({ connection }) => connection !== closed)
    }
    return Connection.open(this.#address, { bodyBytesMax: BODY_BYTES_MAX, onClose })
  }

  /** The connection that was used last: the others may become old. */
  #take(): Connection | undefined {
    const latest = this.#idle.pop()
    if (!latest) return undefined
    if (performance.now() - latest.sinceMs < IDLE_MS_MAX) return latest.connection
    for (const { connection } of [latest, ...this.#idle]) connection.close()
    return undefined
  }

  #keep(connection: Connection): void {
    if (this.#idle.length >= IDLE_MAX) connection.close()
    else this.#idle.push({ connection, sinceMs: performance.now() })
  }
}

function messageOf({ method, target, headers, body }: WholeRequest, host: string): Buffer {
  let head = lineOf(`${method} ${target} HTTP/1.1`) + lineOf(`host: ${host}`)
  for (const name in headers) head += lineOf(`${name}: ${headers[name]}`)
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function lineOf(text: string): string {
  if (text.includes('\r') || text.includes('\n')) throw new TypeError('a line of a request has one line')
  return `${text}\r\n`
}
