import { CheckinBody } from '@palanquin/domain/point/input'
import { toIso } from '@palanquin/domain/time'
import type { Accounts } from '@palanquin/service/http/accounts'
import { ApiError } from '@palanquin/service/http/api-error'
import { ALONE, type BatchedCall } from '@palanquin/service/http/batch'
import {
  type AnswerAll,
  aloneIfInvalid,
  batchRoute,
  type ErrorOf,
  okJson,
} from '@palanquin/service/http/batch-route'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import type { Newcomers } from '../../access/newcomers.ts'
import type { AcceptedCheckin } from '../../buffer/append-checkin.ts'
import { type CheckinJudging, type Checkins, notStored } from './accept.ts'
import { scanCheckin } from './scan-checkin.ts'

const CHECKINS_PATH = '/internal/checkin-batch'
const { validate } = body(CheckinBody)['~standard']

/** Check-ins that left the gateway together, in one call: judged one by one, and written to the journal with one write. */
export const batchedCheckins = (
  checkins: Pick<Checkins, 'judge' | 'judgingNow' | 'keep'>,
  { accounts, newcomers }: { accounts: Accounts; newcomers: Newcomers },
) =>
  batchRoute({
    path: CHECKINS_PATH,
    route: '/checkin',
    method: 'POST',
    status: 202,
    answerAll: answerAll(checkins, newcomers),
    accounts,
  })

type Judged = AcceptedCheckin | ApiError | typeof ALONE

function answerAll(
  { judge, judgingNow, keep }: Pick<Checkins, 'judge' | 'judgingNow' | 'keep'>,
  newcomers: Newcomers,
): AnswerAll {
  const judged = (call: BatchedCall, judging: CheckinJudging, errorOf: ErrorOf): Judged => {
    try {
      const checkin = scanCheckin(call.json) ?? validate(readJsonText(call.json)).value
      return checkin.userId === call.userId ? aloneIfInvalid(judge(checkin, judging)) : ALONE
    } catch (error) {
      return aloneIfInvalid<never>(errorOf(error, call))
    }
  }

  return async (calls, errorOf, arrivedAt) => {
    const judging = judgingNow({ arrivedAt })
    const outcomes = calls.map((call) => judged(call, judging, errorOf))
    const accepted = outcomes.filter(isAccepted)
    const isKept = accepted.length > 0 && (await keep(accepted))
    const receivedAt = toIso(judging.receivedAt)
    return outcomes.map((outcome) => {
      if (!isAccepted(outcome)) return outcome
      if (!isKept) return notStored
      const { id, userId } = outcome
      return { json: okJson(`{"id":"${id}","receivedAt":"${receivedAt}"}`), isNew: newcomers.isNew(userId) }
    })
  }
}

const isAccepted = (outcome: Judged): outcome is AcceptedCheckin =>
  outcome !== ALONE && !(outcome instanceof ApiError)
