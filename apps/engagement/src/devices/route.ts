import { DEVICES_MAX, DeviceBody } from '@palanquin/domain/device'
import { UserId } from '@palanquin/domain/ids'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { receivedAtOf } from '@palanquin/service/http/headers'
import { body, text } from '@palanquin/service/http/standard-schema'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { actingOf } from './caller.ts'
import { DeviceId, ISSUE, LIST, REVOKE, ROTATE } from './describe.ts'
import type { DeviceStore } from './store.ts'
import { type IssuedDevice, type ShowIssued, viewOf } from './view.ts'

export const tooMany = new ApiError(
  'conflict',
  `There are ${DEVICES_MAX} devices already. Please revoke one that is not used any more.`,
)
const unknown = new ApiError('notFound', 'No device of this id is known.')
const userIdMissing = new ApiError('invalid', 'userId: expected the participant whose devices are wanted')
export const foreign = new ApiError('forbidden', 'These are the devices of another userId.')

export type DeviceDependencies = {
  store: DeviceStore
  tags: CredentialTags
  receiptOf: ReceiptOf
  /** Publishes the outbox now, within a bounded time. */
  publishOutbox: () => Promise<void>
  showIssued: ShowIssued
  timeZone: string
  now: () => number
}

/** The apps on people's phones that send positions in their name, and their write tokens. */
export function deviceRoutes({
  store,
  receiptOf,
  tags,
  publishOutbox,
  showIssued,
  timeZone,
  now,
}: DeviceDependencies) {
  const issued = async (headers: Headers, device: IssuedDevice) => ok(await showIssued(headers, device))
  const params = text(Type.Object({ id: DeviceId }))

  return new Elysia({ name: 'devices' })
    .post(
      '/devices',
      async ({ request: { headers }, body: input, set }) => {
        const acting = actingOf(headers)
        if (acting instanceof ApiError) return acting
        if (acting.owner !== null && acting.owner !== input.userId) return foreign
        const token = newWriteToken(tags)
        const receipt = receiptOf(input.userId, receivedAtOf(headers))
        const deviceId = await store.issue(input, { hash: writeTokenHash(token), by: acting.by, receipt })
        if (deviceId === null) return tooMany
        set.status = 201
        return issued(headers, { deviceId, app: input.app, token })
      },
      { body: body(DeviceBody), detail: ISSUE },
    )
    .get(
      '/devices',
      async ({ request: { headers }, query: { userId: named } }) => {
        const acting = actingOf(headers)
        if (acting instanceof ApiError) return acting
        const userId = acting.owner ?? named
        if (userId === undefined) return userIdMissing
        if (named !== undefined && named !== userId) return foreign
        return ok({ items: (await store.list(userId, timeZone)).map((row) => viewOf(row, now())) })
      },
      { query: text(Type.Object({ userId: Type.Optional(UserId) })), detail: LIST },
    )
    .post(
      '/devices/:id/rotate',
      async ({ request: { headers }, params: { id } }) => {
        const acting = actingOf(headers)
        if (acting instanceof ApiError) return acting
        const token = newWriteToken(tags)
        const device = await store.rotate(id, { ...acting, hash: writeTokenHash(token) })
        if (!device) return unknown
        await publishOutbox()
        return issued(headers, { ...device, token })
      },
      { params, detail: ROTATE },
    )
    .delete(
      '/devices/:id',
      async ({ request: { headers }, params: { id } }) => {
        const acting = actingOf(headers)
        if (acting instanceof ApiError) return acting
        if (!(await store.revoke(id, acting))) return unknown
        await publishOutbox()
        return ok({ deviceId: id })
      },
      { params, detail: REVOKE },
    )
}
