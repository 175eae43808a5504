import { connect, type TLSSocket } from 'node:tls'

export type UnreadSocket = { socket: TLSSocket; received: () => string; hasEnded: () => boolean }

/** A client that requests a path over TLS and does not read the response until it resumes its socket. */
export function requestWithoutReading(port: number, path: string): Promise<UnreadSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false })
    let received = ''
    let hasEnded = false
    socket.on('close', () => {
      hasEnded = true
    })
    socket.on('error', (error) => {
      hasEnded = true
      reject(error)
    })
    socket.on('secureConnect', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      socket.pause()
      resolve({ socket, received: () => received, hasEnded: () => hasEnded })
    })
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    socket.pause()
  })
}
