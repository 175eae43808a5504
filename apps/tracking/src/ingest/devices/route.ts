import { DeviceDelivery } from '@palanquin/domain/device-delivery'
import type { Accounts } from '@palanquin/service/http/accounts'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import type { acceptDeliveries } from './accept.ts'
import { batchedDeliveries } from './batch.ts'

/** What phone apps sent, as the gateway has read it. */
export const deviceRoutes = (accept: ReturnType<typeof acceptDeliveries>, accounts: Accounts) =>
  new Elysia({ name: 'devices' })
    .use(batchedDeliveries(accept, accounts))
    .post('/internal/device-points', async ({ body: delivery }) => ok(await accept(delivery)), {
      body: body(DeviceDelivery),
      detail: { hide: true },
    })
