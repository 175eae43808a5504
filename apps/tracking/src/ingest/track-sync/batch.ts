import { TrackSyncBody } from '@palanquin/domain/point/input'
import type { Accounts } from '@palanquin/service/http/accounts'
import { batchRoute } from '@palanquin/service/http/batch-route'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import type { acceptSyncs } from './accept.ts'

export const SYNCS_PATH = '/internal/syncs'

/** Syncs that reached the gateway in the same event-loop tick, in one call. */
export const batchedSyncs = (accept: ReturnType<typeof acceptSyncs>, accounts: Accounts) => {
  const { validate } = body(TrackSyncBody)['~standard']
  return batchRoute({
    path: SYNCS_PATH,
    route: '/track/sync',
    method: 'POST',
    status: 200,
    answer: (json) => accept(validate(readJsonText(json)).value),
    accounts,
  })
}
