import type { Accounts } from './accounts.ts'
import { ApiError, errorBody, errorResponse, retryAfterOf, STATUS_BY_CODE } from './api-error.ts'
import {
  ALONE,
  BATCH_BYTES_MAX,
  BATCH_TYPE,
  type BatchedAnswer,
  type BatchedCall,
  readCalls,
  writeAnswers,
} from './batch.ts'
import { arrivedAtOf, REQUEST_ID_HEADER } from './headers.ts'
import { decodeJson, readBytes } from './json-body.ts'

/** A response's JSON, all of it, and whether the call brought a participant whom nobody knew. */
export type Accepted = { json: string; isNew: boolean }
export type BatchOutcome = Accepted | ApiError | typeof ALONE
/** The error to answer one call with, for an exception; a bug and a lost store are logged. */
export type ErrorOf = (error: unknown, call: Pick<BatchedCall, 'requestId'>) => ApiError
/**
 * The outcome of each call, in their order. What it throws is the error of them all. `arrivedAt`: when the gateway first sent
 * them (epoch ms).
 */
export type AnswerAll = (
  calls: readonly BatchedCall[],
  errorOf: ErrorOf,
  arrivedAt: number | undefined,
) => Promise<readonly BatchOutcome[]>

/** Success as every endpoint says it (`ok`), of data that is JSON already. */
export const okJson = (data: string): string => `{"ok":true,"data":${data}}`

/** The gateway answers what is invalid by its own checks, as if it had come alone. */
export const aloneIfInvalid = <T>(outcome: T | ApiError): T | ApiError | typeof ALONE =>
  outcome instanceof ApiError && outcome.code === 'invalid' ? ALONE : outcome

export type BatchRoute = { method: 'POST'; path: string; respond: (request: Request) => Promise<Response> }

const RESPONSE_HEADERS = { headers: { 'content-type': BATCH_TYPE } }

/**
 * Calls of one route that left the gateway together, in one call: each is judged, answered, counted and logged as if it had come
 * alone. The shell hands the request over as it came, since all that a route of the framework adds costs more than a call does.
 */
export function batchRoute({
  path,
  route,
  method,
  status,
  answerAll,
  accounts,
}: {
  path: string
  /** The route that each call is counted as. */
  route: string
  method: string
  /** Of a response that is no error. */
  status: number
  answerAll: AnswerAll
  accounts: Accounts
}): BatchRoute {
  const errorOf: ErrorOf = (error, { requestId }) => accounts.apiErrorOf(error, { requestId, route })

  const outcomesOf = async (
    calls: readonly BatchedCall[],
    arrivedAt: number | undefined,
  ): Promise<readonly BatchOutcome[]> => {
    try {
      return await answerAll(calls, errorOf, arrivedAt)
    } catch (error) {
      return calls.map((call) => errorOf(error, call))
    }
  }

  const answerOf = (outcome: BatchOutcome, requestId: string): BatchedAnswer | typeof ALONE => {
    if (outcome === ALONE) return ALONE
    if (!(outcome instanceof ApiError))
      return { status, retryAfter: '', json: outcome.json, isNew: outcome.isNew }
    const retryAfter = retryAfterOf(outcome) ?? ''
    const json = errorBody(outcome, requestId)
    return { status: STATUS_BY_CODE[outcome.code], retryAfter, json, isNew: false }
  }

  const answer = async (request: Request, startedMs: number): Promise<Response> => {
    const calls = readCalls(decodeJson(await readBytes(request, BATCH_BYTES_MAX)))
    if (!calls) throw new ApiError('invalid', 'The body is no batch of calls.')
    const outcomes = await outcomesOf(calls, arrivedAtOf(request.headers))
    const answers: (BatchedAnswer | typeof ALONE)[] = []
    const answered: { requestId: string; status: number }[] = []
    for (const [at, { requestId }] of calls.entries()) {
      const one = answerOf(outcomes[at] ?? ALONE, requestId)
      answers.push(one)
      if (one !== ALONE) answered.push({ requestId, status: one.status })
    }
    accounts.noteAll({ route, method, tookMs: performance.now() - startedMs }, answered)
    return new Response(writeAnswers(answers), RESPONSE_HEADERS)
  }

  const respond = async (request: Request): Promise<Response> => {
    const startedMs = performance.now()
    const requestId = request.headers.get(REQUEST_ID_HEADER) ?? '-'
    const response = await answer(request, startedMs).catch((error: unknown) =>
      errorResponse(accounts.apiErrorOf(error, { requestId, route: path }), requestId),
    )
    const tookMs = performance.now() - startedMs
    accounts.note({ requestId, route: path, method: 'POST', status: response.status, tookMs })
    return response
  }
  return { method: 'POST', path, respond }
}

/**
 * Answers the calls of a batch one by one. One that takes longer than `timeoutMs` has to be sent alone, so that it delays no
 * other; only for idempotent calls. `answer` may throw as a handler may.
 */
export function eachByItself({
  answer,
  timeoutMs,
}: {
  answer: (json: string) => Promise<object | ApiError>
  timeoutMs?: number
}): AnswerAll {
  return async (calls, errorOf) => {
    const outcomeOf = async (call: BatchedCall): Promise<BatchOutcome> => {
      try {
        const data = await answer(call.json)
        return data instanceof ApiError ? data : { json: okJson(JSON.stringify(data)), isNew: false }
      } catch (error) {
        return errorOf(error, call)
      }
    }
    if (timeoutMs === undefined) return Promise.all(calls.map(outcomeOf))
    const { promise: late, resolve: giveUp } = Promise.withResolvers<typeof ALONE>()
    const timer = setTimeout(giveUp, timeoutMs, ALONE)
    const outcomes = await Promise.all(calls.map((call) => Promise.race([outcomeOf(call), late])))
    clearTimeout(timer)
    return outcomes
  }
}
