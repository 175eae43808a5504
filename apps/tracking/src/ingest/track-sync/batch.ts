import { chunk } from '@palanquin/service/chunk'
import type { Accounts } from '@palanquin/service/http/accounts'
import { ApiError } from '@palanquin/service/http/api-error'
import { ALONE, type BatchedCall } from '@palanquin/service/http/batch'
import {
  type AnswerAll,
  aloneIfInvalid,
  type BatchOutcome,
  batchRoute,
  type ErrorOf,
  okJson,
} from '@palanquin/service/http/batch-route'
import type { Newcomers } from '../../access/newcomers.ts'
import type { JudgedSync, SyncJudging, SyncReceipt, Syncs } from './accept.ts'
import type { PackedPoints } from './attempt.ts'
import type { Buffered, SyncBuffer } from './buffer.ts'

const SYNCS_PATH = '/internal/sync-batch'

type Options = {
  syncs: Pick<Syncs, 'judgingNow' | 'judgeText' | 'pointsOf' | 'receiptOf'>
  buffer: Pick<SyncBuffer, 'appendAll' | 'sizeMax'>
  newcomers: Newcomers
}

/** Syncs that left the gateway together, in one call: judged one by one, and buffered and written to the journal together. */
export const batchedSyncs = ({ accounts, ...options }: Options & { accounts: Accounts }) =>
  batchRoute({
    path: SYNCS_PATH,
    route: '/track/sync',
    method: 'POST',
    status: 200,
    answerAll: answerAll(options),
    accounts,
  })

/** A sync that is to be buffered, and its place among the calls. */
type Waiting = PackedPoints & { sync: JudgedSync; at: number; call: BatchedCall }

function answerAll({ syncs, buffer, newcomers }: Options): AnswerAll {
  const accepted = (sync: JudgedSync, buffered: Buffered): BatchOutcome => {
    const receipt = syncs.receiptOf(sync, buffered)
    const isNew = receipt.buffered > 0 && newcomers.isNew(sync.head.userId)
    return { json: okJson(jsonOf(receipt)), isNew }
  }
  const judged = (call: BatchedCall, judging: SyncJudging, errorOf: ErrorOf) => {
    try {
      const sync = syncs.judgeText(call.json, call.userId, judging)
      return sync === undefined ? ALONE : aloneIfInvalid(sync)
    } catch (error) {
      return aloneIfInvalid<never>(errorOf(error, call))
    }
  }
  const rested = async (
    { sync, call }: Waiting,
    rest: () => Promise<Buffered | ApiError>,
    errorOf: ErrorOf,
  ) => {
    try {
      const buffered = await rest()
      return buffered instanceof ApiError ? buffered : accepted(sync, buffered)
    } catch (error) {
      return errorOf(error, call)
    }
  }

  return async (calls, errorOf, arrivedAt) => {
    const judging = syncs.judgingNow(arrivedAt)
    const outcomes: BatchOutcome[] = []
    const waiting: Waiting[] = []
    for (const [at, call] of calls.entries()) {
      const sync = judged(call, judging, errorOf)
      if (sync === ALONE || sync instanceof ApiError) outcomes[at] = sync
      else if (sync.points.count === 0) outcomes[at] = accepted(sync, 'all')
      else waiting.push({ head: sync.head, points: sync.points, sync, at, call })
    }

    const bufferGroup = async (group: readonly Waiting[]): Promise<void> => {
      const unpack = ({ call, head }: Waiting) => syncs.pointsOf(call.json, head, judging)
      const appended = await buffer.appendAll(group, unpack).catch((error: unknown) => {
        for (const { at, call } of group) outcomes[at] = errorOf(error, call)
        return []
      })
      const rests = appended.map(async ({ of, rest }) => {
        outcomes[of.at] = rest ? await rested(of, rest, errorOf) : accepted(of.sync, 'all')
      })
      await Promise.all(rests)
    }
    await Promise.all(chunk(waiting, buffer.sizeMax).map(bufferGroup))
    return outcomes
  }
}

const jsonOf = ({ received, buffered, duplicates, filtered, rejected }: SyncReceipt): string =>
  `{"received":${received},"buffered":${buffered},"duplicates":${duplicates},"filtered":${filtered},"rejected":${rejected.length === 0 ? '[]' : JSON.stringify(rejected)}}`
