import { readFileSync } from 'node:fs'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import type { Home } from '@palanquin/stack/run-state/home'
import { auditPoints } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { type TestS3, testS3 } from '@palanquin/testing/s3'
import postgres from 'postgres'
import { recordEvents } from './checks/published-events.ts'
import { effectsInTheEnd, settle } from './checks/settle.ts'
import { type Deployment, openStack } from './deployment.ts'
import { type Fault, linksOf } from './faults/faults.ts'
import { injector, WITHOUT_TYPE_QUERY } from './faults/inject.ts'
import { openLinks } from './faults/links.ts'
import { openLoad } from './load/load.ts'
import type { Findings } from './report.ts'

export type Plan = {
  seed: number
  lastsMs: number
  participants: number
  /** Of each service. */
  copies: number
  faults: readonly Fault[]
  /** How many times longer than usual what follows the last fault may take. */
  patience: number
}
/** Errors that a run makes on purpose: the audit must catch them. */
export type NegativeControl = {
  during: (deployment: Deployment) => Promise<void>
  after: (sql: postgres.Sql, deployment: Deployment, line: LineStub) => Promise<void>
}

/** A whole run in its own home: load, faults, recovery, the end of the activity. */
export async function runChaos(
  home: Home,
  plan: Plan,
  { log, negativeControl }: { log: (line: string) => void; negativeControl?: NegativeControl },
): Promise<Findings> {
  const { lastsMs, faults, patience } = plan
  const links = openLinks(linksOf(plan.copies))
  // The LINE simulator and the S3 server are not of the stack; only the links to them fail.
  const line = testLine()
  const s3 = await testS3()
  const deployment = await openStack(home, { links, settings: settingsOf({ line, s3 }, plan.copies) })
  line.control.listenAt({
    url: `${deployment.api.base}/webhook`,
    ca: readFileSync(deployment.run.caFile, 'utf8'),
  })
  const sql = postgres(deployment.run.databaseUrl, { max: 2, ...WITHOUT_TYPE_QUERY, onnotice: () => {} })
  const redis = new Bun.RedisClient(deployment.run.redisUrl)
  const bus = await recordEvents(deployment.run.redisUrl)
  const beganMs = performance.now()
  const logWithTime = (said: string) =>
    log(`${((performance.now() - beganMs) / 1000).toFixed(1).padStart(6)} s  ${said}`)
  try {
    const points = ledger()
    const over = new AbortController()
    const load = openLoad(plan, { api: deployment.api, line, ledger: points, signal: over.signal })
    const { phones, retries, chat } = load
    const done = load.run()
    const inject = injector({ home, run: deployment.run, links, log: logWithTime })
    const controlled = negativeControl?.during(deployment)
    for (const fault of faults) {
      await Bun.sleep(beganMs + fault.atMs - performance.now())
      inject.begin(fault)
    }
    await Bun.sleep(Math.max(0, beganMs + lastsMs - performance.now()))
    await controlled
    await inject.healed()
    logWithTime('all faults are over; waiting for everything to come back')
    const settled = await settle(deployment, { redis, retries, done, patience })
    over.abort()
    logWithTime('looking into the stores')
    await negativeControl?.after(sql, deployment, line)
    const owed = { acknowledged: phones.acknowledged, chatState: { line, chat, pushes: load.pushes } }
    const effects = await effectsInTheEnd({ sql, redis, bus }, owed, negativeControl ? 0 : patience)
    const audit = await auditPoints(sql, points)
    const bugs = phones.answers.get('500') ?? 0
    if (bugs > 0) effects.push(`${bugs} answers were 500: a store that is away is a 503`)
    return {
      ...settled,
      audit,
      phones,
      injected: faults.length,
      faults: [...settled.faults, ...effects],
      messages: line.control.deliveries.all().length,
    }
  } finally {
    await bus.close()
    redis.close()
    await sql.end({ timeout: 1 })
    await deployment.close()
    await Promise.all([line.close(), s3.close()])
  }
}

const settingsOf = (
  { line, s3 }: { line: LineStub; s3: TestS3 },
  copies: number,
): Record<string, string> => ({
  ...line.environment,
  S3_ENDPOINT: s3.access.endpoint,
  S3_BUCKET: s3.access.bucket,
  S3_ACCESS_KEY_ID: s3.access.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.access.secretAccessKey,
  PUBLIC_BASE_URL: 'https://walk.example',
  COPIES: String(copies),
  // All load comes from one address with 24 new participants a second.
  NEW_PARTICIPANT_LIMIT: '1000000',
})
