import { CheckinBody } from '@palanquin/domain/point'
import type { Accounts } from '@palanquin/service/http/accounts'
import { bodyBytes, ok } from '@palanquin/service/http/app'
import {
  BATCH_TYPE,
  type BatchedAnswer,
  type BatchedCall,
  readCalls,
  writeAnswers,
} from '@palanquin/service/http/batch'
import { decodeJson, readJsonText } from '@palanquin/service/http/json-body'
import { REFUSAL_STATUS, Refusal, refusalBody, retryAfterOf } from '@palanquin/service/http/refusal'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import type { acceptCheckins } from './accept.ts'

export const BATCH_PATH = '/internal/checkins'
/** Each is counted and logged as if it had come alone. */
const ROUTE = '/checkin'

/** Check-ins that reached the gateway at the same moment, in one call: each is judged and answered for itself. */
export const batchedCheckins = (accept: ReturnType<typeof acceptCheckins>['accept'], accounts: Accounts) => {
  const { validate } = body(CheckinBody)['~standard']

  const receiptOf = async ({ requestId, json }: BatchedCall) => {
    try {
      return await accept(validate(readJsonText(json)).value)
    } catch (error) {
      return accounts.refusalOf(error, { requestId, route: ROUTE })
    }
  }

  const answer = async (call: BatchedCall, startedMs: number): Promise<BatchedAnswer> => {
    const receipt = await receiptOf(call)
    const { requestId } = call
    const answered =
      receipt instanceof Refusal
        ? {
            status: REFUSAL_STATUS[receipt.reason],
            retryAfter: retryAfterOf(receipt) ?? '',
            json: refusalBody(receipt, requestId),
          }
        : { status: 202, retryAfter: '', json: JSON.stringify(ok(receipt)) }
    const tookMs = performance.now() - startedMs
    accounts.note({ requestId, route: ROUTE, method: 'POST', status: answered.status, tookMs })
    return answered
  }

  return new Elysia({ name: 'checkin batch' }).post(
    BATCH_PATH,
    async ({ body }) => {
      const calls = readCalls(decodeJson(bodyBytes(body)))
      if (!calls) return new Refusal('invalid', 'The body is no batch of check-ins.')
      const startedMs = performance.now()
      const answers = await Promise.all(calls.map((call) => answer(call, startedMs)))
      return new Response(writeAnswers(answers), { headers: { 'content-type': BATCH_TYPE } })
    },
    { detail: { hide: true } },
  )
}
