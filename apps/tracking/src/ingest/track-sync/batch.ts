import type { Accounts } from '@palanquin/service/http/accounts'
import { batchRoute } from '@palanquin/service/http/batch-route'
import type { acceptSyncs } from './accept.ts'

export const SYNCS_PATH = '/internal/syncs'

/** Syncs that reached the gateway in the same event-loop tick, in one call. */
export const batchedSyncs = (
  { acceptText }: Pick<ReturnType<typeof acceptSyncs>, 'acceptText'>,
  accounts: Accounts,
) =>
  batchRoute({
    path: SYNCS_PATH,
    route: '/track/sync',
    method: 'POST',
    status: 200,
    answer: async (json) => acceptText(json),
    accounts,
  })
