import type { messagingApi } from '@line/bot-sdk'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { LineClient } from '../line-client/client.ts'
import type { LineOutcome } from '../line-client/outcome.ts'
import type { Personal } from './audience.ts'
import type { Chunk, ChunkStore, Settlement } from './chunks.ts'
import { createFailureHandler, type Delivered, GO_ON } from './failure.ts'
import type { PushMetrics } from './metrics.ts'
import type { QuotaReader } from './quota.ts'
import { retryKeyOf } from './retry-key.ts'

/** LINE forgets a retry key after 24 hours; an hour covers what is under way. */
const GIVE_UP_AFTER_S = 23 * 3_600
/** Of LINE's 200 and 2000 a second (reference, rate limits): several copies share them. */
const MULTICASTS_PER_S = 80
const PUSHES_PER_S = 800
/** After the figures for a personal message could not be had. */
const STORE_PAUSE_MS = 3_000
/** Pushes whose place in the quota is remembered. */
const ADMITTED_MAX = 1_000

/** The messages of one user; null when they are unknown by now. @throws StoreUnavailable */
export type Compose = (
  personal: Personal,
  userId: string,
  pushId: string,
) => Promise<messagingApi.Message[] | null>

export type DeliverOptions = {
  client: Pick<LineClient, 'push' | 'multicast'>
  chunks: ChunkStore
  quota: QuotaReader
  compose: Compose
  metrics: PushMetrics
  log: Log
  /** From 0 to 1, for the jitter. */
  chance?: () => number
}

/** Sends one chunk and records the outcome. By its retry key a chunk that LINE accepted before is a success. */
export function createDelivery(options: DeliverOptions): (chunk: Chunk) => Promise<Delivered> {
  const { client, chunks, quota, compose, metrics, log, chance = Math.random } = options
  const paceMulticast = createPace(MULTICASTS_PER_S)
  const pacePush = createPace(PUSHES_PER_S)
  const admitted = new Set<string>()

  const settle = async (chunk: Chunk, settlement: Settlement): Promise<Delivered> => {
    const { blocked, skipped } = chunk
    const whole = {
      ...settlement,
      blocked: blocked + (settlement.blocked ?? 0),
      skipped: skipped + (settlement.skipped ?? 0),
    }
    await chunks.settle(chunk, whole)
    const { sent = 0, failed = 0 } = whole
    for (const [outcome, count] of Object.entries({ ...whole, sent, failed }))
      if (typeof count === 'number') metrics.people.inc({ outcome }, count)
    return GO_ON
  }

  /** Null where the quota suffices for it. A push is admitted as a whole, once. */
  const refusedByQuota = async (chunk: Chunk): Promise<string | null> => {
    if (admitted.has(chunk.pushId)) return null
    const allowance = await quota.take(chunk.outstanding, { urgent: chunk.urgent })
    if (!allowance.allowed) return allowance.reason
    if (chunk.personal !== null) return null
    if (admitted.size >= ADMITTED_MAX) admitted.clear()
    admitted.add(chunk.pushId)
    return null
  }

  const send = async (chunk: Chunk, messages: readonly messagingApi.Message[]): Promise<LineOutcome> => {
    const { pushId, userIds } = chunk
    const retryKey = retryKeyOf(`${pushId}/${chunk.chunk}`)
    const [only] = userIds
    if (userIds.length === 1 && only !== undefined) {
      await pacePush()
      return client.push({ to: only, messages, retryKey })
    }
    await paceMulticast()
    return client.multicast({ to: userIds, messages, retryKey })
  }

  const failed = createFailureHandler({ chunks, quota, settle, log, chance })

  return async (chunk) => {
    const { userIds, personal, pushId, attempts, ageS } = chunk
    const count = userIds.length
    const [first] = userIds
    if (first === undefined) return settle(chunk, {})
    if (ageS > GIVE_UP_AFTER_S)
      return settle(chunk, {
        failed: count,
        reason: `given up after ${attempts} attempts: LINE did not take it`,
      })
    // What was tried before may have been accepted, and then costs nothing.
    const refused = attempts === 1 ? await refusedByQuota(chunk) : null
    if (refused !== null) {
      log.error({ event: 'push.quota_reserved', push: pushId, reason: refused }, 'A push is not sent')
      await settle(chunk, { failed: count, reason: refused })
      if (personal === null) await chunks.giveUpRest(chunk, refused)
      return GO_ON
    }
    let messages: readonly messagingApi.Message[] | null
    try {
      messages = personal === null ? chunk.messages : await compose(personal, first, pushId)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      await chunks.giveBack(chunk, STORE_PAUSE_MS)
      return GO_ON
    }
    if (messages === null || messages.length === 0) return settle(chunk, { skipped: count })
    const outcome = await send(chunk, messages)
    metrics.calls.inc({ outcome: outcome.is })
    if (outcome.is !== 'ok') return failed(chunk, outcome)
    return settle(chunk, { sent: count, requestId: outcome.requestId })
  }
}

/** Lets calls through at most so often a second: LINE refuses what is faster. */
function createPace(perSecond: number): () => Promise<void> {
  const everyMs = 1_000 / perSecond
  let nextMs = 0
  return async () => {
    const nowMs = performance.now()
    const waitMs = nextMs - nowMs
    nextMs = Math.max(nowMs, nextMs) + everyMs
    if (waitMs >= 1) await Bun.sleep(waitMs)
  }
}
