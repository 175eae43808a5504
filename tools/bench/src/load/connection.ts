const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = '0\r\n\r\n'
const STATUS_AT = 'HTTP/1.1 '.length

export type Answered = { status: number; bytes: number }

/** One keep-alive connection that sends requests one after another. */
export async function openConnection({ url, ca }: { url: URL; ca: string | undefined }) {
  let received: Buffer[] = []
  let bytes = 0
  let wanted = Number.POSITIVE_INFINITY
  let head = 0
  let status = 0
  let rest: Uint8Array | undefined
  let open = true
  let waiting: { resolve: (answered: Answered) => void; reject: (error: Error) => void } | undefined

  const finish = () => {
    const answered = { status, bytes: bytes - head }
    received = []
    bytes = head = status = 0
    wanted = Number.POSITIVE_INFINITY
    const { resolve } = waiting ?? {}
    waiting = undefined
    resolve?.(answered)
  }
  const readHead = (): boolean => {
    const all = received.length === 1 ? received[0] : Buffer.concat(received)
    const end = all?.indexOf(HEAD_END) ?? -1
    if (!all || end < 0) return false
    received = [all]
    head = end + HEAD_END.length
    const text = all.toString('latin1', 0, end)
    status = Number(text.slice(STATUS_AT, STATUS_AT + 3))
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
    if (length !== undefined) wanted = head + Number(length)
    else if (!/\r\ntransfer-encoding: chunked/i.test(text)) wanted = head
    return true
  }
  const take = (chunk: Buffer) => {
    // Only the end of a body matters, and only where no length was announced.
    if (head > 0) received = [chunk]
    else received.push(chunk)
    bytes += chunk.length
    if (head === 0 && !readHead()) return
    const ended =
      wanted === Number.POSITIVE_INFINITY
        ? (received.at(-1)?.toString('latin1').endsWith(LAST_CHUNK) ?? false)
        : bytes >= wanted
    if (ended) finish()
  }
  const fail = (why: string) => {
    open = false
    waiting?.reject(new Error(`${url.host}: ${why}`))
  }

  const socket = await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    ...(url.protocol === 'https:' ? { tls: { ...(ca ? { ca } : {}), serverName: url.hostname } } : {}),
    socket: {
      data: (_, chunk) => take(chunk),
      drain: (socket) => {
        if (rest) rest = rest.subarray(socket.write(rest))
        if (rest?.length === 0) rest = undefined
      },
      close: () => fail('the connection was closed'),
      error: (_, error) => fail(error.message),
    },
  })
  return {
    /** False once the other side has closed it, as servers do with idle ones. */
    isOpen: (): boolean => open,
    /** Sends one request and resolves with the response. */
    send: (request: Uint8Array): Promise<Answered> =>
      new Promise((resolve, reject) => {
        if (!open) return reject(new Error(`${url.host}: the connection is closed`))
        waiting = { resolve, reject }
        const written = socket.write(request)
        if (written < request.length) rest = request.subarray(Math.max(written, 0))
      }),
    close: () => {
      socket.end()
    },
  }
}
