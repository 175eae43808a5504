import { UserId } from '@palanquin/domain/ids'
import type { Accounts } from '@palanquin/service/http/accounts'
import type { ApiError } from '@palanquin/service/http/api-error'
import { ALONE, type BatchedCall } from '@palanquin/service/http/batch'
import { type BatchOutcome, batchRoute, type ErrorOf } from '@palanquin/service/http/batch-route'
import { parseJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import Type from 'typebox'
import type { ProfileStores } from './read-profile.ts'
import { type Outcome, readResponses } from './read-responses.ts'

const PROFILES_PATH = '/internal/profile-batch'
/** Cached profiles are not delayed by those that wait for a slow database. */
const RESPONSE_DEADLINE_MS = 250

/** As the gateway writes the only parameter; the schema reads anything else. */
const PLAIN_CALL = /^\{"userId":"([A-Za-z0-9_-]{1,64})"\}$/
const { validate } = body(Type.Object({ userId: UserId }))['~standard']
const userIdOf = (json: string): string =>
  PLAIN_CALL.exec(json)?.[1] ?? validate(parseJsonText(json)).value.userId

/** Profiles that the gateway was asked for in one moment, in one call. */
export const batchedProfiles = (stores: ProfileStores, accounts: Accounts) =>
  batchRoute({
    path: PROFILES_PATH,
    route: '/user/:userId',
    method: 'GET',
    status: 200,
    answerAll: (calls, errorOf) => outcomesOf(stores, calls, errorOf),
    accounts,
  })

async function outcomesOf(
  stores: ProfileStores,
  calls: readonly BatchedCall[],
  errorOf: ErrorOf,
): Promise<readonly BatchOutcome[]> {
  const errorAt = (error: unknown, at: number) => errorOf(error, calls[at] ?? { requestId: '-' })
  const invalid = new Map<number, ApiError>()
  const places: number[] = []
  const userIds: string[] = []
  for (const [at, { json }] of calls.entries())
    try {
      userIds.push(userIdOf(json))
      places.push(at)
    } catch (error) {
      invalid.set(at, errorAt(error, at))
    }
  const outcomes = await readResponses(stores, userIds, {
    timeoutMs: RESPONSE_DEADLINE_MS,
    errorOf: (error, at) => errorAt(error, places[at] ?? -1),
  })
  if (invalid.size === 0) return outcomes.map(outcomeOf)
  const placed: BatchOutcome[] = calls.map((_, at) => invalid.get(at) ?? ALONE)
  for (const [at, place] of places.entries()) placed[place] = outcomeOf(outcomes[at] ?? ALONE)
  return placed
}

/** A text is a finished response, and nobody is new who is read. */
const outcomeOf = (outcome: Outcome): BatchOutcome =>
  outcome !== ALONE && typeof outcome === 'string' ? { json: outcome, isNew: false } : outcome
