import type { EventData } from '@palanquin/domain/events'
import { parseInstant } from '@palanquin/domain/time'
import type { Journal } from '../wal/journal.ts'
import type { ErasureTokenOf } from './token.ts'
import { matchesToken } from './token-store.ts'

/** A journal line begins with the userId, or with an id of ours and then that: so a line of somebody else is not parsed. */
const USER_ID = /"userId":"([A-Za-z0-9_-]{1,64})"/

/**
 * Takes an erased participant out of this process's journal on disk. Every process does so on `participant.erased`; the one
 * that erases does so before it answers.
 */
export const journalEraser =
  ({ journal, tokenOf }: { journal: Pick<Journal, 'blank'>; tokenOf: ErasureTokenOf }) =>
  async ({ shard, mark, at }: EventData<'participant.erased'>): Promise<void> => {
    const isThem = matchesToken({ shard, mark }, tokenOf)
    const until = parseInstant(at) ?? 0
    await journal.blank((text, { damaged }) => {
      const userId = USER_ID.exec(text)?.[1]
      if (userId === undefined || !isThem(userId)) return false
      if (damaged) return true // when it was received cannot be told
      const { receivedAt }: { receivedAt: number } = JSON.parse(text)
      return receivedAt <= until
    })
  }
