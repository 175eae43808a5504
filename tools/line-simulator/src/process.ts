import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { testLine } from './stub.ts'
import type { Target } from './webhook-sender.ts'

/** The stub as a process of `./palanquin up` (LINE=stub). */
const needed = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing: ./palanquin up sets it`)
  return value
}

type Facts = { level: 'info' | 'error'; msg: string; endpoint?: string; status?: number }
const log = (facts: Facts): void =>
  console.log(JSON.stringify({ ...facts, time: new Date().toISOString(), service: 'line-stub' }))

/** The gateway's webhook, once the run file is there. */
function gateway(): Target | undefined {
  try {
    const { url, caFile }: { url: string; caFile: string } = JSON.parse(
      readFileSync(needed('RUN_FILE'), 'utf8'),
    )
    const headers = url.startsWith('http:') ? { 'x-forwarded-proto': 'https' } : undefined
    const ca = headers ? undefined : readFileSync(caFile, 'utf8')
    return { url: `${url}/api/${needed('EVENT_BRAND')}/webhook`, ca, headers }
  } catch (error) {
    log({
      level: 'error',
      msg: `the gateway is not there: ${error instanceof Error ? error.message : error}`,
    })
    return undefined
  }
}

const stub = testLine({
  port: Number(needed('PORT')),
  channelSecret: needed('LINE_CHANNEL_SECRET'),
  channelAccessToken: needed('LINE_CHANNEL_ACCESS_TOKEN'),
  loginChannelId: needed('LINE_LOGIN_CHANNEL_ID'),
  webhook: gateway,
  onCall: ({ endpoint, status }) => log({ level: 'info', msg: 'call', endpoint, status }),
})
const { people } = stub.control
people.add({ displayName: '林小明', relation: 'none' })
people.add({ displayName: 'Alice', language: 'en', relation: 'none' })
people.add({ displayName: '阿嬤 👵', language: undefined, relation: 'none' })

const readyFile = needed('READY_FILE')
mkdirSync(dirname(readyFile), { recursive: true })
writeFileSync(
  `${readyFile}.part`,
  JSON.stringify({ pid: process.pid, url: stub.apiBase, metricsUrl: stub.url }),
)
renameSync(`${readyFile}.part`, readyFile)
log({ level: 'info', msg: `LINE (stub) at ${stub.url}` })

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stub.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log({ level: 'error', msg: String(error) })
        process.exit(1)
      },
    )
  })
