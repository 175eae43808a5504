import { DeviceDelivery, DeviceQuestion } from '@palanquin/domain/device-delivery'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import type { DeviceTokens } from '../../devices/tokens.ts'
import type { acceptDeliveries } from './accept.ts'

/** What phone apps sent, as the gateway has read it; and whose a write token is, for what a device may send elsewhere. */
export const deviceRoutes = (
  accept: ReturnType<typeof acceptDeliveries>,
  tokens: Pick<DeviceTokens, 'find'>,
) =>
  new Elysia({ name: 'devices' })
    .post('/internal/device-points', async ({ body: delivery }) => ok(await accept(delivery)), {
      body: body(DeviceDelivery),
      detail: { hide: true },
    })
    .post(
      '/internal/device-owner',
      async ({ body: { hash } }) => {
        const device = await tokens.find(hash)
        return ok({ userId: device?.userId ?? null })
      },
      { body: body(DeviceQuestion), detail: { hide: true } },
    )
