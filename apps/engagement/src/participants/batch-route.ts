import { UserId } from '@palanquin/domain/ids'
import type { Accounts } from '@palanquin/service/http/accounts'
import { batchRoute } from '@palanquin/service/http/batch-route'
import { parseJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import Type from 'typebox'
import { type ProfileStores, profileOrNotFound } from './read-profile.ts'

export const PROFILES_PATH = '/internal/profiles'
/** Most are answered from the cache within a few milliseconds; they do not wait for those that a slow database answers. */
const RESPONSE_DEADLINE_MS = 250

/** Profiles that were asked for at the same moment, in one call. */
export const batchedProfiles = (stores: ProfileStores, accounts: Accounts) => {
  const { validate } = body(Type.Object({ userId: UserId }))['~standard']
  return batchRoute({
    path: PROFILES_PATH,
    route: '/user/:userId',
    method: 'GET',
    status: 200,
    answer: async (json) => profileOrNotFound(stores, validate(parseJsonText(json)).value.userId),
    accounts,
    patienceMs: RESPONSE_DEADLINE_MS,
  })
}
