import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, type TLSSocket } from 'node:tls'
import { until } from '@palanquin/testing/until'
import { CERTIFICATE_FILE } from '../test/gateway.ts'
import { type SignedIn, signIn } from '../test/sign-in.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway({ env: { USER_AUTH: 'session' } })
const sockets: TLSSocket[] = []
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})

/** Connections that announce a body of so many bytes and send none of it, and what each was answered so far. */
const idle = (count: number, { path, bytes, cookie }: { path: string; bytes: number; cookie?: string }) =>
  Array.from({ length: count }, () => {
    const url = new URL(deployment.gateway.url)
    const state = { answer: '' }
    const socket = connect({
      port: Number(url.port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(CERTIFICATE_FILE),
    })
    socket.on('secureConnect', () => {
      const origin = cookie ? `Cookie: ${cookie}\r\nOrigin: ${url.origin}\r\n` : ''
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\n${origin}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${bytes}\r\n\r\n`,
      )
    })
    socket.on('data', (data) => {
      state.answer += data.toString()
    })
    socket.on('error', () => {}) // closed by the gateway
    sockets.push(socket)
    return state
  })
const upload = ({ asPage }: SignedIn) => {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(2_000_000)]), 'photo.jpg')
  return deployment.gateway.call('/upload/photos', { method: 'POST', body, headers: asPage })
}
const answers = (all: { answer: string }[], status: number) =>
  until(() => all.every(({ answer }) => answer.startsWith(`HTTP/1.1 ${status}`)), {
    what: `answers ${status}`,
  })

test('idle bodies hold no place without a credential, and of one person no more than two', async () => {
  await answers(idle(40, { path: '/upload/photos', bytes: 10_485_760 }), 401)
  const person = await signIn(deployment.gateway, { device: true })
  const { cookie } = person
  const held = idle(2, { path: '/upload/import', bytes: 10_485_760, cookie })
  const others = idle(30, { path: '/upload/import', bytes: 10_485_760, cookie })
  await until(() => others.filter(({ answer }) => answer.startsWith('HTTP/1.1 503')).length >= 28, {
    what: 'all but two to be refused',
  })
  expect([...held, ...others].filter(({ answer }) => answer === '').length).toBeLessThanOrEqual(4)
  const another = await signIn(deployment.gateway, { device: true })
  expect((await upload(another)).status).toBe(200)
  expect((await upload(person)).status).toBe(503)
})

test('a body that stands still gives its place back', async () => {
  const person = await signIn(deployment.gateway, { device: true })
  const { cookie } = person
  const held = idle(2, { path: '/upload/photos', bytes: 10_485_760, cookie })
  await answers(held, 400)
  expect(held[0]?.answer).toContain('did not arrive')
  expect((await upload(person)).status).toBe(200)
})
