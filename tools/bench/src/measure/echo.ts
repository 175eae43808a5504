import { readFileSync } from 'node:fs'

/** The yardstick of a request: a TLS server of Bun that returns the body, or a file. */
const [certFile = '', keyFile = '', file, hold] = process.argv.slice(2)
const kept = file !== undefined && hold === 'memory' ? readFileSync(file) : undefined
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') },
  fetch: async (request) => {
    if (request.method !== 'GET') return new Response(await request.arrayBuffer())
    return new Response(kept ?? (file === undefined ? '' : Bun.file(file)))
  },
})
console.log(server.port)
