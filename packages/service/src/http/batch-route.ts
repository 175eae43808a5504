import { Elysia } from 'elysia'
import type { Accounts } from './accounts.ts'
import { ApiError, errorBody, retryAfterOf, STATUS_BY_CODE } from './api-error.ts'
import { bodyBytes, ok } from './app.ts'
import { ALONE, BATCH_TYPE, type BatchedAnswer, type BatchedCall, readCalls, writeAnswers } from './batch.ts'
import { decodeJson } from './json-body.ts'

/**
 * Calls of one route that reached the gateway at the same moment, in one call: each is judged, answered, counted and logged
 * as if it had come alone. Its path is to be among the shell's `rawBodies`.
 */
export function batchRoute({
  path,
  route,
  method,
  status,
  answer,
  accounts,
  timeoutMs,
}: {
  path: string
  /** The route that each call is counted as. */
  route: string
  method: string
  /** Of a response that is no error. */
  status: number
  /** May throw as a handler may. */
  answer: (json: string) => Promise<object | ApiError>
  accounts: Accounts
  /** A call that takes longer is refused and has to be sent alone; only for idempotent calls. */
  timeoutMs?: number
}) {
  const outcomeOf = async ({ requestId, json }: BatchedCall): Promise<object | ApiError> => {
    try {
      return await answer(json)
    } catch (error) {
      return accounts.apiErrorOf(error, { requestId, route })
    }
  }

  const answerOf = async (
    call: BatchedCall,
    { startedMs, late }: { startedMs: number; late: Promise<undefined> | undefined },
  ): Promise<BatchedAnswer | typeof ALONE> => {
    const { requestId } = call
    const outcome = await (late ? Promise.race([outcomeOf(call), late]) : outcomeOf(call))
    if (outcome === undefined) return ALONE
    const answered =
      outcome instanceof ApiError
        ? {
            status: STATUS_BY_CODE[outcome.code],
            retryAfter: retryAfterOf(outcome) ?? '',
            json: errorBody(outcome, requestId),
          }
        : { status, retryAfter: '', json: JSON.stringify(ok(outcome)) }
    accounts.note({
      requestId,
      route,
      method,
      status: answered.status,
      tookMs: performance.now() - startedMs,
    })
    return answered
  }

  return new Elysia({ name: `batch ${path}` }).post(
    path,
    async ({ body }) => {
      const calls = readCalls(decodeJson(bodyBytes(body)))
      if (!calls) return new ApiError('invalid', 'The body is no batch of calls.')
      const startedMs = performance.now()
      const { promise: late, resolve: giveUp } = Promise.withResolvers<undefined>()
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
      const answers = await Promise.all(
        calls.map((call) => answerOf(call, { startedMs, late: timer && late })),
      )
      clearTimeout(timer)
      return new Response(writeAnswers(answers), { headers: { 'content-type': BATCH_TYPE } })
    },
    { detail: { hide: true } },
  )
}
