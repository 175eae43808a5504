// weighs what strangers order on a quiet machine
import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
const stack = await startThrowawayStack({ RATE_LIMITS: 'off' })
const tls = { ca: readFileSync(stack.running().caFile, 'utf8') }
const { url, services } = stack.running()
const ticks = (pid: number) => { const s = readFileSync(`/proc/${pid}/stat`, 'utf8'); const f = s.slice(s.lastIndexOf(')') + 2).split(' '); return (Number(f[11]) + Number(f[12])) * 10 }
const all = () => Object.values(services).reduce((n, { pid }) => n + ticks(pid), 0)
const gw = () => ticks(services.gateway!.pid)
const code = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(36)).join('').slice(0, 22)
async function weigh(name: string, path: () => string, n = 4000) {
  const left = Array.from({ length: n }, path)
  const a = all(), g = gw()
  let status = new Map<number, number>()
  await Promise.all(Array.from({ length: 8 }, async () => { for (let p = left.pop(); p; p = left.pop()) { const r = await fetch(url + p, { tls, headers: { accept: 'text/html,*/*', 'accept-encoding': 'br, gzip' }, decompress: false, redirect: 'manual' } as never); status.set(r.status, (status.get(r.status) ?? 0) + 1); await r.arrayBuffer() } }))
  console.log(name.padEnd(28), ((all() - a) / n).toFixed(3), 'ms all', ((gw() - g) / n).toFixed(3), 'ms gateway', [...status].join(' '))
}
for (let i = 0; i < 3; i++) {
  await weigh('/api/event/notices', () => '/api/event/notices')
  await weigh('/setup/<made up>', () => `/setup/${code()}`)
  await weigh('/density?tile', () => `/api/event/density?z=14&x=${Math.floor(Math.random() * 16000)}&y=${Math.floor(Math.random() * 16000)}`)
  await weigh('/s/<made up>', () => `/s/${code()}`)
}
const chunks = (path: string, n: number) => new Promise<string>((resolve) => {
  const u = new URL(url); let answer = ''
  const s = connect({ host: u.hostname, port: Number(u.port), rejectUnauthorized: false }, () => {
    s.write(`POST ${path} HTTP/1.1\r\nHost: ${u.host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`)
    s.write(`${'1\r\n \r\n'.repeat(n)}0\r\n\r\n`)
  })
  s.on('data', (b) => { answer += b }); s.on('error', () => {}); s.on('close', () => resolve(answer.slice(0, 20)))
})
for (const path of ['/api/event/track/sync', '/in/owntracks']) for (const n of [10, 100_000, 1_000_000]) {
  const costs: string[] = []; let last = ''
  for (let r = 0; r < 4; r++) { const b = gw(); for (let i = 0; i < 10; i++) last = await chunks(path, n); costs.push(((gw() - b) / 10).toFixed(1)) }
  console.log(path, n, costs.join(' '), 'ms', last)
}
await stack.close(); process.exit(0)
