import { DISPLAY_NAME_CHARACTERS_MAX, PICTURE_URL_CHARACTERS_MAX } from '@palanquin/domain/participant'
import type { Inbound } from '../inbox/inbound.ts'
import type { LineClient } from '../line-client/client.ts'
import type { Engagement, ParticipantFields } from '../service-clients/engagement.ts'
import type { User, UserStore } from '../users/store.ts'
import { languageOfProfile } from './language.ts'

export type EnsureParticipantOptions = {
  client: Pick<LineClient, 'profile'>
  users: UserStore
  engagement: Engagement
}

/** Registers a user with the name, picture and language of their LINE profile. @throws StoreUnavailable */
export async function ensureParticipant(
  { client, users, engagement }: EnsureParticipantOptions,
  { userId, event }: { userId: string; event: Inbound },
): Promise<User> {
  const user = await users.find(userId)
  const isKnown = user.met && user.participant
  const isFriend = user.following && !user.blocked
  if (isKnown && isFriend && event.what.type !== 'follow') return user
  const profile = isKnown && user.displayName !== null ? null : await client.profile(userId)
  const lineProfile = profile?.is === 'ok' ? profile.value : null
  const language = languageOfProfile(lineProfile?.language)
  if (!user.participant || user.displayName === null) {
    const whole: ParticipantFields = {
      userId,
      ...nameOf(lineProfile?.displayName),
      ...pictureOf(lineProfile?.pictureUrl),
      ...(language && !user.participant ? { language } : {}),
    }
    // A field of the profile that engagement refuses must not keep the user out.
    if (!(await engagement.sync(whole, event))) await engagement.sync({ userId }, event)
  }
  await users.meet(userId, event.atMs, lineProfile?.language ?? null)
  return {
    ...user,
    displayName: user.displayName ?? nameOf(lineProfile?.displayName).displayName ?? null,
    language: user.language ?? language,
    profileLanguage: lineProfile?.language ?? user.profileLanguage,
  }
}

/** Engagement refuses control characters, and no name needs them. */
function nameOf(name: string | undefined): { displayName?: string } {
  const clean = [...(name ?? '').toWellFormed().replace(/\p{Cc}/gu, ' ')]
    .slice(0, DISPLAY_NAME_CHARACTERS_MAX)
    .join('')
    .trim()
  return clean === '' ? {} : { displayName: clean }
}

const pictureOf = (url: string | undefined): { pictureUrl?: string } =>
  url?.startsWith('https://') && url.length <= PICTURE_URL_CHARACTERS_MAX ? { pictureUrl: url } : {}
