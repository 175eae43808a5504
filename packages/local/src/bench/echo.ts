import { readFileSync } from 'node:fs'

/** The yardstick of a request: Bun's own server with TLS that gives the body back, and nothing else. */
const [certFile = '', keyFile = ''] = process.argv.slice(2)
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') },
  fetch: async (request) => new Response(await request.arrayBuffer()),
})
console.log(server.port)
