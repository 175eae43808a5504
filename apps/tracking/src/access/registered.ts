import { UserId } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { findBuffered } from '../buffer/buffered-users.ts'
import type { Participants } from './participants.ts'

/** The gateway waits a little longer. */
const REDIS_DEADLINE_MS = 200
const USERS_MAX = 1_000
const NONE: ReadonlySet<string> = new Set()

export type RegisteredOptions = {
  participants: Pick<Participants, 'get' | 'isKnown'>
  redis: Redis
  log: Log
}

/**
 * Which userIds take part: those with a row, from memory, and those with points in the buffer, from Redis.
 * While Redis is away those of the last minutes seem new: the gateways remember whom they have seen.
 * Undefined until all participants were read.
 */
export function registeredParticipants({ participants, redis, log }: RegisteredOptions) {
  return async (userIds: readonly string[]): Promise<boolean[] | undefined> => {
    if (!participants.isKnown()) return undefined
    const unregistered = userIds.filter((userId) => !participants.get(userId))
    let buffered: ReadonlySet<string> = NONE
    try {
      buffered = await findBuffered(redis, unregistered, REDIS_DEADLINE_MS)
    } catch (error) {
      log.debug(
        { event: 'known.buffer_away', reason: String(error) },
        'Redis did not say who has points in the buffer',
      )
    }
    return userIds.map((userId) => participants.get(userId) !== undefined || buffered.has(userId))
  }
}

const notYet = new ApiError('unavailable', 'Who takes part is still being read.')

/** `POST /internal/known`: which `userId`s take part already, for the gateway's limit of new ones. */
export const registeredRoutes = (registered: ReturnType<typeof registeredParticipants>) =>
  new Elysia({ name: 'registered participants' }).post(
    '/internal/known',
    async ({ body: { userIds } }) => {
      const known = await registered(userIds)
      return known ? ok({ known: known.map(Number) }) : notYet
    },
    {
      body: body(Type.Object({ userIds: Type.Array(UserId, { maxItems: USERS_MAX }) })),
      detail: { hide: true },
    },
  )
