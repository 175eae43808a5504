import type { Profile } from '@palanquin/domain/participant'
import { withoutTrailingSlash } from '@palanquin/service/base-url'
import type { HashUser } from '@palanquin/service/hash-user'
import type { Compose } from './deliver.ts'
import { congratulation, type EventName, finalSummary } from './wording.ts'

/** LINE keeps a picture by its address, and a card changes: a part of the push's id makes the address new. */
const VERSION_LENGTH = 8

/** Addresses of cards as LINE can fetch them; null where the deployment has no https address. */
export const cardsAt =
  ({ baseUrl, brand }: { baseUrl: string | undefined; brand: string }) =>
  (userId: string, version: string): string | null =>
    baseUrl?.startsWith('https://')
      ? `${withoutTrailingSlash(baseUrl)}/api/${brand}/og/${userId}.png?v=${version}`
      : null

/** Personal messages out of the figures of `GET /user/{userId}` at the moment of sending. */
export const messageComposer =
  ({
    profile,
    cardOf,
    name,
    hashUser,
  }: {
    /** Engagement's; throws StoreUnavailable. */
    profile: (userId: string, requestId: string) => Promise<Profile | null>
    cardOf: ReturnType<typeof cardsAt>
    name: EventName
    hashUser: HashUser
  }): Compose =>
  async (personal, userId, pushId) => {
    const known = await profile(userId, `push-${hashUser(userId)}`)
    if (!known) return null
    const card = cardOf(userId, pushId.slice(0, VERSION_LENGTH))
    return personal === 'final-summary' ? finalSummary(name, known, card) : congratulation(known, card)
  }
