import { readFileSync } from 'node:fs'
import { BatchLoader } from '@palanquin/service/batching'

/** The least of a gateway: TLS, and one call of the service for the bodies of some milliseconds, or the ids of reads. It decides nothing. */
const [certFile = '', keyFile = '', socket = ''] = process.argv.slice(2)
const CALLS_MAX = 256
/** As the real one's calls (docs/adr/0034-calls-gather-for-milliseconds.md). */
const GATHER_MS = 16

const calls = new BatchLoader({ loadAll: callService, sizeMax: CALLS_MAX, everyMs: GATHER_MS })

/** As many answers as bodies, a line each. */
async function callService(bodies: readonly string[]): Promise<string[]> {
  const response = await fetch('http://service.internal/', {
    unix: socket,
    method: 'POST',
    body: bodies.join('\n'),
  })
  return (await response.text()).split('\n')
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') },
  fetch: async (request) => {
    const { method, url } = request
    const text = method === 'GET' ? url.slice(url.lastIndexOf('/') + 1) : await request.text()
    return new Response(`{"data":{"answer":"${await calls.load(text)}"}}`, {
      headers: { 'content-type': 'application/json' },
    })
  },
})
console.log(server.port)
