import { UserId } from '@palanquin/domain/ids'
import type { Accounts } from '@palanquin/service/http/accounts'
import { batchRoute, eachByItself } from '@palanquin/service/http/batch-route'
import { parseJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import Type from 'typebox'
import { type ProfileStores, profileOrNotFound } from './read-profile.ts'

const PROFILES_PATH = '/internal/profile-batch'
/** Cached profiles are not delayed by those that wait for a slow database. */
const RESPONSE_DEADLINE_MS = 250

/** Profiles requested within one event-loop tick of the gateway, in one call. */
export const batchedProfiles = (stores: ProfileStores, accounts: Accounts) => {
  const { validate } = body(Type.Object({ userId: UserId }))['~standard']
  return batchRoute({
    path: PROFILES_PATH,
    route: '/user/:userId',
    method: 'GET',
    status: 200,
    answerAll: eachByItself({
      answer: async (json) => profileOrNotFound(stores, validate(parseJsonText(json)).value.userId),
      timeoutMs: RESPONSE_DEADLINE_MS,
    }),
    accounts,
  })
}
