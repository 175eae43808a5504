import type { Profile } from '@palanquin/domain/participant'
import type { HashUser } from '@palanquin/service/hash-user'
import type { CardAddress } from '../service-clients/card-address.ts'
import type { Compose } from './deliver.ts'
import { congratulation, type EventName, finalSummary } from './wording.ts'

/** LINE keeps a picture by its address: a part of the push's id makes the address new. */
const VERSION_LENGTH = 8

/** Personal messages out of the figures of `GET /user/{userId}` at the moment of sending. */
export const messageComposer =
  ({
    profile,
    cardAddress,
    name,
    hashUser,
  }: {
    /** Engagement's; throws StoreUnavailable. */
    profile: (userId: string, requestId: string) => Promise<Profile | null>
    cardAddress: CardAddress
    name: EventName
    hashUser: HashUser
  }): Compose =>
  async (personal, userId, pushId) => {
    const requestId = `push-${hashUser(userId)}`
    const known = await profile(userId, requestId)
    if (!known) return null
    const card = await cardAddress(userId, { version: pushId.slice(0, VERSION_LENGTH), requestId })
    return personal === 'final-summary' ? finalSummary(name, known, card) : congratulation(known, card)
  }
