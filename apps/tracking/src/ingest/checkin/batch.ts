import { CheckinBody } from '@palanquin/domain/point/input'
import type { Accounts } from '@palanquin/service/http/accounts'
import { batchRoute } from '@palanquin/service/http/batch-route'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import type { acceptCheckins } from './accept.ts'

export const CHECKINS_PATH = '/internal/checkins'

/** Check-ins that reached the gateway in the same event-loop tick, in one call. */
export const batchedCheckins = (accept: ReturnType<typeof acceptCheckins>['accept'], accounts: Accounts) => {
  const { validate } = body(CheckinBody)['~standard']
  return batchRoute({
    path: CHECKINS_PATH,
    route: '/checkin',
    method: 'POST',
    status: 202,
    answer: async (json) => accept(validate(readJsonText(json)).value),
    accounts,
  })
}
