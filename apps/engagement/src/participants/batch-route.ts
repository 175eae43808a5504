import { UserId } from '@palanquin/domain/ids'
import type { Accounts } from '@palanquin/service/http/accounts'
import { ApiError, errorBody, retryAfterOf, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import { bodyBytes } from '@palanquin/service/http/app'
import {
  ALONE,
  BATCH_TYPE,
  type BatchedAnswer,
  type BatchedCall,
  readCalls,
  writeAnswers,
} from '@palanquin/service/http/batch'
import { decodeJson, parseJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { ProfileStores } from './read-profile.ts'
import { type Outcome, readResponses } from './read-responses.ts'

export const PROFILES_PATH = '/internal/profiles'
/** Cached profiles are not delayed by those that wait for a slow database. */
const RESPONSE_DEADLINE_MS = 250
const COUNTED_AS = { route: '/user/:userId', method: 'GET' }

/** As the gateway writes the only parameter; anything else is read by the schema, which says what is wrong with it. */
const PLAIN_CALL = /^\{"userId":"([A-Za-z0-9_-]{1,64})"\}$/
const { validate } = body(Type.Object({ userId: UserId }))['~standard']
const userIdOf = (json: string): string =>
  PLAIN_CALL.exec(json)?.[1] ?? validate(parseJsonText(json)).value.userId

/** Profiles that the gateway was asked for in one moment, in one call: each is answered, counted and logged as if it came alone. */
export const batchedProfiles = (stores: ProfileStores, accounts: Accounts) =>
  new Elysia({ name: `batch ${PROFILES_PATH}` }).post(
    PROFILES_PATH,
    async ({ body }) => {
      const calls = readCalls(decodeJson(bodyBytes(body)))
      if (!calls) return new ApiError('invalid', 'The body is no batch of calls.')
      const startedMs = performance.now()
      const outcomes = await outcomesOf(stores, calls, accounts)
      const tookMs = performance.now() - startedMs
      const answers = calls.map(({ requestId }, at) => {
        const answer = answerOf(outcomes[at] ?? ALONE, requestId)
        if (answer !== ALONE) accounts.note({ requestId, ...COUNTED_AS, status: answer.status, tookMs })
        return answer
      })
      return new Response(writeAnswers(answers), { headers: { 'content-type': BATCH_TYPE } })
    },
    { detail: { hide: true } },
  )

async function outcomesOf(
  stores: ProfileStores,
  calls: readonly BatchedCall[],
  accounts: Accounts,
): Promise<readonly Outcome[]> {
  const errorOf = (error: unknown, at: number) =>
    accounts.apiErrorOf(error, { requestId: calls[at]?.requestId ?? '-', route: COUNTED_AS.route })
  const invalid = new Map<number, ApiError>()
  const places: number[] = []
  const userIds: string[] = []
  for (const [at, { json }] of calls.entries())
    try {
      userIds.push(userIdOf(json))
      places.push(at)
    } catch (error) {
      invalid.set(at, errorOf(error, at))
    }
  const outcomes = await readResponses(stores, userIds, {
    timeoutMs: RESPONSE_DEADLINE_MS,
    errorOf: (error, at) => errorOf(error, places[at] ?? -1),
  })
  if (invalid.size === 0) return outcomes
  const placed: Outcome[] = calls.map((_, at) => invalid.get(at) ?? ALONE)
  for (const [at, place] of places.entries()) placed[place] = outcomes[at] ?? ALONE
  return placed
}

function answerOf(outcome: Outcome, requestId: string): BatchedAnswer | typeof ALONE {
  if (outcome === ALONE) return ALONE
  if (typeof outcome === 'string') return { status: 200, retryAfter: '', json: outcome }
  return {
    status: STATUS_BY_CODE[outcome.code],
    retryAfter: retryAfterOf(outcome) ?? '',
    json: errorBody(outcome, requestId),
  }
}
