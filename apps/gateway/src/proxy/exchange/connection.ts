import type { Address } from '../address.ts'
import { ReplyReader, type WholeReply } from './reply-reader.ts'

const HTTP_PORT = 80

type Settle = (reply: WholeReply | 'broken') => void

/** One connection to a copy of a service, which carries one call at a time. */
export class Connection {
  readonly #bodyBytesMax: number
  readonly #onClose: (connection: Connection) => void
  #socket: Bun.Socket<undefined> | undefined
  #unsent: Buffer | undefined
  #underWay: { reader: ReplyReader; settle: Settle } | undefined
  #isClosed = false

  private constructor({
    bodyBytesMax,
    onClose,
  }: { bodyBytesMax: number; onClose: (connection: Connection) => void }) {
    this.#bodyBytesMax = bodyBytesMax
    this.#onClose = onClose
  }

  /** Rejects where the copy cannot be reached: it has seen nothing then. */
  static async open(
    address: Address,
    options: { bodyBytesMax: number; onClose: (connection: Connection) => void },
  ): Promise<Connection> {
    const connection = new Connection(options)
    const socket: Bun.SocketHandler<undefined> = {
      data: (_, bytes) => connection.#receive(bytes),
      drain: () => connection.#write(),
      close: () => connection.#end(),
      error: () => connection.close(),
    }
    const { unix } = address.init
    const opened = await (unix === undefined
      ? Bun.connect<undefined>({ ...hostOf(address), socket })
      : Bun.connect<undefined>({ unix, socket }))
    // A call has its deadline's timer; a connection without one does not keep a process that stops.
    opened.unref()
    connection.#socket = opened
    if (connection.#isClosed) throw new Error('the connection was closed as soon as it was open')
    return connection
  }

  /** Sends a whole request and resolves with its reply, or 'broken'. */
  send(request: Buffer): Promise<WholeReply | 'broken'> {
    if (this.#isClosed || this.#underWay) return Promise.resolve('broken')
    return new Promise((settle) => {
      this.#underWay = { reader: new ReplyReader({ bodyBytesMax: this.#bodyBytesMax }), settle }
      this.#unsent = request
      this.#write()
    })
  }

  /** Also ends the call that is under way. */
  close(): void {
    this.#socket?.terminate()
    this.#end()
  }

  #write(): void {
    const unsent = this.#unsent
    if (!unsent || !this.#socket) return
    const written = this.#socket.write(unsent)
    if (written < 0) this.close()
    else this.#unsent = written < unsent.length ? unsent.subarray(written) : undefined
  }

  #receive(bytes: Buffer): void {
    const underWay = this.#underWay
    const reply = underWay ? underWay.reader.add(bytes) : 'unreadable'
    if (reply === undefined) return
    // What is left of a request that was answered too early would stand in front of the next one.
    if (!underWay || reply === 'unreadable' || this.#unsent) {
      this.close()
      return
    }
    this.#underWay = undefined
    if (reply.closes) this.close()
    underWay.settle(reply)
  }

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onClose(this)
    const settle = this.#underWay?.settle
    this.#underWay = undefined
    settle?.('broken')
  }
}

function hostOf({ origin }: Address): { hostname: string; port: number } {
  const { hostname, port } = new URL(origin)
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || HTTP_PORT) }
}
