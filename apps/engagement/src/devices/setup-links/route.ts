import { OpenSetupLinkBody, SetupLinkBody, SetupStatusBody } from '@palanquin/domain/setup-link'
import { toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { receivedAtOf } from '@palanquin/service/http/headers'
import { body } from '@palanquin/service/http/standard-schema'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { Elysia } from 'elysia'
import { actingOf, baseOf } from '../caller.ts'
import { type DeviceDependencies, foreign, tooMany } from '../route.ts'
import type { DeviceStore } from '../store.ts'
import { type PublicAddress, viewOf } from '../view.ts'
import { MAKE, OPEN, STATUS } from './describe.ts'
import type { SetupLink, SetupLinkStore } from './store.ts'

const unknown = new ApiError('notFound', 'There is no such set-up link.')
const over = new ApiError('gone', 'This set-up link has expired. Please make a new one.')
const used = new ApiError(
  'conflict',
  'This set-up link was opened in another browser. Please make a new one for this phone.',
)

type SetupLinkDependencies = Omit<DeviceDependencies, 'store'> & {
  store: SetupLinkStore
  devices: DeviceStore
  facts: () => PublicAddress
}

/** Links by which an app on a phone, perhaps another one, is set up (phone apps, sections 2 and 4). */
export function setupLinkRoutes({
  store,
  devices,
  tags,
  receiptOf,
  publishOutbox,
  showIssued,
  facts,
  timeZone,
  now,
}: SetupLinkDependencies) {
  return new Elysia({ name: 'setup-links' })
    .post(
      '/setup-links',
      async ({ request: { headers }, body: input, set }) => {
        const acting = actingOf(headers)
        if (acting instanceof ApiError) return acting
        if (acting.owner !== null && acting.owner !== input.userId) return foreign
        const receipt = receiptOf(input.userId, receivedAtOf(headers))
        const { code, expiresAt } = await store.make(input, { by: acting.by, receipt })
        set.status = 201
        const url = `${baseOf(headers, facts().publicBaseUrl)}/setup/${code}`
        return ok({ code, url, expiresAt: toIso(expiresAt.getTime()) })
      },
      { body: body(SetupLinkBody), detail: MAKE },
    )
    .post(
      '/setup-links/open',
      async ({ request: { headers }, body: { app, ...secrets }, set }) => {
        const receivedAt = receivedAtOf(headers)
        const link = await store.find(secrets)
        if (!link) return unknown
        if (link.isOpened && !link.isMine) return used
        if (link.isOver) return over
        if (!(await store.claim(secrets))) return used
        const { userId, name, madeBy: by, deviceId: before } = link
        const revoke = async (deviceId: string) => {
          await devices.revoke(deviceId, { owner: userId, by })
          await publishOutbox()
        }
        const token = newWriteToken(tags)
        const receipt = receiptOf(userId, receivedAt)
        const owner = name === null ? { userId, app } : { userId, app, name }
        const deviceId = await devices.issue(owner, { hash: writeTokenHash(token), by, receipt })
        if (deviceId === null) return tooMany
        if (!(await store.choose(secrets, before, deviceId))) {
          await revoke(deviceId)
          return used
        }
        if (before !== null) await revoke(before)
        set.status = 201
        return ok(await showIssued(headers, { deviceId, app, token }))
      },
      { body: body(OpenSetupLinkBody), detail: OPEN },
    )
    .post(
      '/setup-links/status',
      async ({ body: secrets }) => {
        const link = await store.find(secrets)
        if (!link) return unknown
        if (link.isOpened && !link.isMine) return used
        if (!link.isOpened) return link.isOver ? over : ok({ state: 'open', device: null })
        const device = await deviceOf(link)
        return ok({ state: device === null ? 'revoked' : 'chosen', device })
      },
      { body: body(SetupStatusBody), detail: STATUS },
    )

  async function deviceOf({ userId, deviceId }: SetupLink) {
    const rows = await devices.list(userId, timeZone)
    const row = rows.find((one) => one.deviceId === deviceId)
    return row ? viewOf(row, now()) : null
  }
}
