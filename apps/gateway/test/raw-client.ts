import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { CERTIFICATE_FILE } from './gateway.ts'

/** What came back over a connection, and whether the other side had closed it by then. */
export type RawResponse = { text: string; closed: boolean; status: number }

/** How long to wait for a second response after a complete one. */
const IDLE_MS = 600
const HEAD_END = '\r\n\r\n'

type Piece = string | Buffer | (() => Promise<unknown>)

/**
 * Sends bytes as they are over TLS, piece by piece, and collects what comes back until the other side closes or, once
 * a whole answer came, says no more. A function among the pieces is awaited before the next one.
 */
export const rawCall = (port: number, ...pieces: Piece[]): Promise<RawResponse> =>
  callUntil(isWhole, port, pieces)

/** The same, until the other side closes: for what must not be kept open. */
export const rawCallUntilClosed = (port: number, ...pieces: Piece[]): Promise<RawResponse> =>
  callUntil(() => false, port, pieces)

/** Whether the last response of a text is complete, by its head. */
function isWhole(text: string): boolean {
  const end = text.indexOf(HEAD_END)
  if (end < 0) return false
  const head = text.slice(0, end)
  const body = text.slice(end + HEAD_END.length)
  if (/^transfer-encoding: chunked/im.test(head)) return body.endsWith(`0${HEAD_END}`)
  return body.length >= Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
}

function callUntil(
  isDone: (text: string) => boolean,
  port: number,
  pieces: readonly Piece[],
): Promise<RawResponse> {
  return new Promise((resolve) => {
    let text = ''
    let idle: ReturnType<typeof setTimeout> | undefined
    const done = (closed: boolean) => {
      clearTimeout(idle)
      socket.destroy()
      resolve({ text, closed, status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0) })
    }
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(CERTIFICATE_FILE),
    })
    socket.on('secureConnect', async () => {
      for (const piece of pieces)
        if (typeof piece === 'function') await piece()
        else if (socket.writable)
          socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
    })
    const listen = () => {
      clearTimeout(idle)
      idle = setTimeout(() => (socket.writableLength > 0 || !isDone(text) ? listen() : done(false)), IDLE_MS)
    }
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      listen()
    })
    // A reset after the answer is the end of it as well; the test looks at what came before.
    socket.on('error', () => done(true))
    socket.on('close', () => done(true))
  })
}
