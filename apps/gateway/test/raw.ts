import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { CERTIFICATE_FILE } from './stand.ts'

/** What came back over a connection, and whether the other side had closed it by then. */
export type RawAnswer = { text: string; closed: boolean; status: number }

/** How long a connection may be silent, with nothing left to send, before the answer counts as complete. */
const SILENCE_MS = 600

/**
 * Sends bytes as they are over TLS, piece by piece, and collects what comes back until the other side closes or, once
 * something came, says no more. A function among the pieces is awaited before the next one.
 */
export function rawCall(
  port: number,
  ...pieces: (string | Buffer | (() => Promise<unknown>))[]
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = ''
    let silence: ReturnType<typeof setTimeout> | undefined
    const done = (closed: boolean) => {
      clearTimeout(silence)
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
      clearTimeout(silence)
      silence = setTimeout(() => (socket.writableLength > 0 ? listen() : done(false)), SILENCE_MS)
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
