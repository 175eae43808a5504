import { DeviceDelivery } from '@palanquin/domain/device-delivery'
import type { Accounts } from '@palanquin/service/http/accounts'
import { batchRoute, eachByItself } from '@palanquin/service/http/batch-route'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import type { acceptDeliveries } from './accept.ts'

const DELIVERIES_PATH = '/internal/device-batch'

/** What phone apps sent to the gateway in the same event-loop tick, in one call. */
export const batchedDeliveries = (accept: ReturnType<typeof acceptDeliveries>, accounts: Accounts) => {
  const { validate } = body(DeviceDelivery)['~standard']
  return batchRoute({
    path: DELIVERIES_PATH,
    route: '/internal/device-points',
    method: 'POST',
    status: 200,
    answerAll: eachByItself({ answer: (json) => accept(validate(readJsonText(json)).value) }),
    accounts,
  })
}
