import type { Database } from '@palanquin/db/client'
import type { LinkBody } from '@palanquin/domain/session'
import type { Objects } from '@palanquin/objects/objects'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Quota } from '../uploads/quota.ts'
import { importMetrics } from './metrics.ts'
import { eraseImports, linkImports } from './owner.ts'
import { readInProcess } from './reader/reader.ts'
import { importRoutes } from './route.ts'
import { type Budget, DAILY_BUDGET, TURN_MS } from './run.ts'
import { importRunner } from './runner.ts'
import { importStore } from './store.ts'
import type { SendPoints } from './tracking-client.ts'

const FORGET_EVERY_MS = 3_600_000

type Options = {
  db: Database
  objects: Objects
  quota: Quota
  send: SendPoints
  receiptOf: ReceiptOf
  startsAtMs: () => number | null
  log: Log
  metrics: Metrics
  read?: typeof readInProcess
  budget?: Budget
  turnMs?: number
}

/** Files that people import: taken, read in a process of their own, and handed to tracking. */
export function createImports({
  db,
  objects,
  quota,
  send,
  receiptOf,
  startsAtMs,
  log,
  metrics,
  read = readInProcess,
  budget = DAILY_BUDGET,
  turnMs = TURN_MS,
}: Options) {
  const store = importStore(db)
  const runner = importRunner({
    store,
    objects,
    read,
    send,
    startsAtMs,
    budget,
    turnMs,
    log,
    metrics: importMetrics(metrics),
  })
  const imports = { store, objects, quota, send, receiptOf, wake: runner.wake }
  return {
    runner,
    routes: importRoutes({ imports, store }),
    jobs: [{ name: 'old imports', everyMs: FORGET_EVERY_MS, run: store.forgetOld }],
    /** Reports and waiting files of a participant; the sweep deletes the objects. @throws StoreUnavailable */
    erase: (userId: string) => eraseImports(db, userId),
    /** Those of a device become the person's. @throws StoreUnavailable */
    link: (link: LinkBody) => linkImports(db, link),
  }
}
