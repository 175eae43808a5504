import type { Database } from '@palanquin/db/client'
import { withDeadline } from '@palanquin/service/deadline'
import type { FailPoint } from '@palanquin/service/fail-point'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { releaseLease, takeLease } from './lease.ts'
import { relayMetrics } from './metrics.ts'
import { connected, createOutage, pause } from './outage.ts'
import { forgetPublished, outboxOf, readPublished } from './outbox.ts'
import { publishBatch } from './publish.ts'
import { isEvent, leaseKey, problemOf, publishedKey, SETTLED_AFTER_MS } from './stream.ts'

/** How long an event waits in the outbox when `publishNow` is not called. */
const INTERVAL_MS = 250
/** Longer than a pass takes; another copy goes on so soon after one was killed. */
const LEASE_MS = 2_000
/** `publishNow` resolves after this even when its events wait for a store. */
export const PUBLISH_MS_MAX = 1_000
/** What a request waits for its events. */
export const SOON_MS_MAX = 300
/** While another copy holds the lease: it is done within milliseconds. */
const LEASED_PAUSE_MS = 20

export type OutboxRelayOptions = {
  db: Pick<Database, 'query'>
  /** Whose outbox; the schema's own service runs the relay, in each of its copies. */
  schema: 'tracking' | 'engagement' | 'media' | 'line'
  redis: Redis
  log: Log
  metrics?: Metrics
  intervalMs?: number
  /** How long a published row stays, in case Redis comes back without it. */
  settledAfterMs?: number
  failPoint?: FailPoint
}

export type OutboxRelay = Part & {
  /** Publishes the outbox now; resolves after a second at most. Never rejects. */
  publishNow: () => Promise<void>
  /** As `publishNow`, for a request: resolves after 300 ms at most. */
  publishSoon: () => Promise<void>
}

/** What came of a pass: `leased` when another copy of the service is at it. */
type Pass = 'empty' | 'published' | 'leased'

/** Publishes `<schema>.outbox` in order, at least once; rows go some seconds later, when Redis has them on disk. */
export function outboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const { schema, log } = options
  const name = `relay of ${schema}`
  const outage = createOutage(log, name)
  const stopping = new AbortController()
  const metrics = options.metrics && relayMetrics(options.metrics, schema)
  const passAfter = oneAtATime(passOf(options, metrics))

  const loop = async () => {
    await connected([options.redis], stopping.signal)
    while (!stopping.signal.aborted) {
      let pauseMs = options.intervalMs ?? INTERVAL_MS
      try {
        await passAfter()
        outage.recovered()
      } catch (error) {
        metrics?.failures.inc({ schema })
        pauseMs = Math.max(pauseMs, outage.failed(error))
      }
      await pause(pauseMs, stopping.signal)
    }
  }
  const whileLeased = async () => {
    const deadline = performance.now() + PUBLISH_MS_MAX
    while ((await passAfter()) === 'leased' && performance.now() < deadline) await Bun.sleep(LEASED_PAUSE_MS)
  }

  // The loop meets the same failure, and logs it; the rows stay where they are.
  const publishWithin = (deadlineMs: number): Promise<void> =>
    withDeadline(whileLeased(), { what: name, deadlineMs, onLate: () => {} }).catch((error: unknown) =>
      log.debug(
        { event: 'outbox.publish_late', schema, reason: String(error) },
        'The outbox is not yet published',
      ),
    )

  let looping: Promise<void> | undefined
  return {
    name,
    start: () => {
      looping ??= loop()
    },
    stop: async () => {
      stopping.abort()
      await looping
      // What the last requests left goes out first; if it cannot, the next start does it.
      await passAfter().catch((error: unknown) =>
        log.warn(
          { event: 'outbox.left_over', schema, reason: String(error) },
          'The outbox is published after the next start',
        ),
      )
    },
    publishNow: () => publishWithin(PUBLISH_MS_MAX),
    publishSoon: () => publishWithin(SOON_MS_MAX),
  }
}

function passOf(
  { db, schema, redis, log, failPoint, settledAfterMs = SETTLED_AFTER_MS }: OutboxRelayOptions,
  metrics: ReturnType<typeof relayMetrics> | undefined,
): () => Promise<Pass> {
  const outbox = outboxOf(db, schema)
  const letGo = async (seqs: readonly string[]) => {
    if (seqs.length === 0) return
    await outbox.remove(seqs)
    await forgetPublished(redis, schema, seqs)
  }

  return async () => {
    if (!(await outbox.hasRows())) return 'empty'
    // Read only under the lease: another may have published and deleted what was read before.
    const lease = await takeLease(redis, { key: leaseKey(schema), durationMs: LEASE_MS })
    if (!lease) return 'leased'
    try {
      const { settled, recent } = await readPublished(redis, schema, settledAfterMs)
      const published = [...settled, ...recent]
      for (;;) {
        const rows = await outbox.read(published)
        if (rows.length === 0) break
        for (const row of rows) {
          const event = { ...row, data: JSON.parse(row.data) as unknown }
          // Published all the same: consumers put it to the dead letters, where a person sees it.
          if (!isEvent(event))
            log.error(
              { event: 'outbox.row_invalid', eventId: row.id, type: row.type, problem: problemOf(event) },
              'An outbox row is not a valid event',
            )
        }
        const seqs = rows.map(({ seq }) => String(seq))
        const noted = { key: publishedKey(schema), seqs }
        if (!(await publishBatch(redis, rows, { lease, rows: noted }))) return 'leased'
        failPoint?.('relay-published')
        published.push(...seqs)
        for (const { type } of rows) metrics?.published.inc({ type })
      }
      await letGo(settled)
      return 'published'
    } finally {
      await releaseLease(redis, lease).catch((error: unknown) =>
        log.debug(
          { event: 'outbox.lease_not_released', reason: String(error) },
          'The lease of the relay expires by itself',
        ),
      )
    }
  }
}

/** Calls during a run share the one after it, which sees everything of before the call. */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      const now = work()
      running = now.catch(() => {}) // its own caller gets the failure
      return now
    })
    return next
  }
}
