import type { EventData } from '@palanquin/domain/events'
import { parseInstant } from '@palanquin/domain/time'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { Journal } from '../journal/journal.ts'
import { matchesToken } from './token-store.ts'

/** The userId is the first or second field of a journal line: so lines of others need not be parsed. */
const USER_ID = /"userId":"([A-Za-z0-9_-]{1,64})"/

/**
 * Removes an erased participant from this process's journal on disk. Every process does so on `participant.erased`, the
 * one that erases before it answers.
 */
export const journalEraser =
  ({ journal, tokenOf }: { journal: Pick<Journal, 'blank'>; tokenOf: ErasureTokenOf }) =>
  async ({ shard, mark, at }: EventData<'participant.erased'>): Promise<void> => {
    const isErased = matchesToken({ shard, mark }, tokenOf)
    const until = parseInstant(at) ?? 0
    await journal.blank((text, { damaged }) => {
      const userId = USER_ID.exec(text)?.[1]
      if (userId === undefined || !isErased(userId)) return false
      if (damaged) return true // its time of arrival is unreadable
      const { receivedAt }: { receivedAt: number } = JSON.parse(text)
      return receivedAt <= until
    })
  }
