import { DEVICE_OUTCOMES, type DeviceDelivery, DeviceReceipt } from '@palanquin/domain/device-delivery'
import type { PhoneApp } from '@palanquin/domain/phone-apps'
import type { Reading } from '@palanquin/domain/phone-apps/reading'
import { SYNC_POINTS_MAX } from '@palanquin/domain/point/input'
import { chunk } from '@palanquin/service/chunk'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { ALONE, BATCH_TYPE, fitsBatch } from '@palanquin/service/http/batch'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'
import Compile from 'typebox/compile'
import { Batch } from '../proxy/batch.ts'
import { clientOf } from '../proxy/client.ts'
import type { Service } from '../proxy/service.ts'

/** Shorter than the time-outs of the apps, and longer than a Redis that does not answer. */
const DELIVERY_DEADLINE_MS = 9_000

export type Delivery = {
  hash: string
  app: PhoneApp
  reading: Reading
  version: string | undefined
  requestId: string
}
export type Delivered = Omit<DeviceReceipt, 'state'> & { state: DeviceReceipt['state'] | 'away' }
export type Deliver = (delivery: Delivery) => Promise<Delivered>

const AWAY: Delivered = { state: 'away', counts: {} }
const answer = Compile(Type.Object({ data: DeviceReceipt }))

/** Passes on what an app sent to tracking, in lots of a thousand points; `away` where tracking cannot take it now. */
export function deliverer(service: Pick<Service, 'call' | 'placesFor'>, internalToken: string): Deliver {
  const batch = new Batch({
    service,
    target: '/internal/device-batch',
    deadlineMs: DELIVERY_DEADLINE_MS,
    priority: 'normal',
    headers: { [INTERNAL_TOKEN_HEADER]: internalToken, 'content-type': BATCH_TYPE },
  })
  const tracking = clientOf({
    name: 'tracking',
    service,
    internalToken,
    // Below check-ins, which have a person waiting.
    priority: 'normal',
    waitForRestart: true,
  })
  return async ({ hash, app, reading, version, requestId }) => {
    const { points, notPoints, invalid, byHand, battery, charging } = reading
    const lots = points.length === 0 ? [[]] : chunk(points, SYNC_POINTS_MAX)
    const total: Delivered = { state: 'taken', counts: {} }
    for (const [at, lot] of lots.entries()) {
      const delivery: DeviceDelivery = {
        hash,
        app,
        byHand,
        points: [...lot],
        ...(at === 0 ? { notPoints, invalid } : { notPoints: 0, invalid: 0 }),
        ...(battery === undefined ? {} : { battery }),
        ...(charging === undefined ? {} : { charging }),
        ...(version === undefined ? {} : { version }),
      }
      const { state, counts, isFirst } =
        (await sendWithOthers(batch, requestId, delivery)) ?? (await send(tracking, requestId, delivery))
      for (const outcome of DEVICE_OUTCOMES) {
        const count = (total.counts[outcome] ?? 0) + (counts[outcome] ?? 0)
        if (count > 0) total.counts[outcome] = count
      }
      total.state = state
      if (isFirst) total.isFirst = true
      if (state !== 'taken') break
    }
    return total
  }
}

/** With what else came in this tick of the event loop; undefined where it is to be sent alone. */
async function sendWithOthers(
  batch: Batch,
  requestId: string,
  delivery: DeviceDelivery,
): Promise<Delivered | undefined> {
  const json = JSON.stringify(delivery)
  if (!fitsBatch(json)) return undefined
  const outcome = await batch.add({ requestId, userId: '', json })
  if (outcome === ALONE) return undefined
  const reply: unknown =
    typeof outcome === 'object' && outcome.status === 200 ? JSON.parse(outcome.json) : undefined
  return answer.Check(reply) ? reply.data : AWAY
}

async function send(tracking: ServiceClient, requestId: string, body: DeviceDelivery): Promise<Delivered> {
  try {
    const reply = await tracking.call({
      method: 'POST',
      path: '/internal/device-points',
      body,
      requestId,
      reply: DeviceReceipt,
      deadlineMs: DELIVERY_DEADLINE_MS,
    })
    return reply.ok ? reply.data : AWAY
  } catch (error) {
    if (error instanceof StoreUnavailable) return AWAY
    throw error
  }
}
