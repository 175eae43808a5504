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

/**
 * Makes sure that whoever writes or follows is a participant, with the name, picture and language of their LINE profile
 * where none are known, and a friend of the bot from that moment on. A language that they chose stays.
 * @throws StoreUnavailable
 */
export async function ensureParticipant(
  { client, users, engagement }: EnsureParticipantOptions,
  { userId, event }: { userId: string; event: Inbound },
): Promise<User> {
  const person = await users.find(userId)
  const isKnown = person.met && person.participant
  const isFriend = person.following && !person.blocked
  if (isKnown && isFriend && event.what.type !== 'follow') return person
  const profile = isKnown && person.displayName !== null ? null : await client.profile(userId)
  const told = profile?.is === 'ok' ? profile.value : null
  const language = languageOfProfile(told?.language)
  if (!person.participant || person.displayName === null) {
    const whole: ParticipantFields = {
      userId,
      ...nameOf(told?.displayName),
      ...pictureOf(told?.pictureUrl),
      ...(language && !person.participant ? { language } : {}),
    }
    // What engagement does not take of a profile must not keep the person out.
    if (!(await engagement.sync(whole, event.id))) await engagement.sync({ userId }, event.id)
  }
  await users.meet(userId, event.atMs, told?.language ?? null)
  return {
    ...person,
    displayName: person.displayName ?? nameOf(told?.displayName).displayName ?? null,
    language: person.language ?? language,
    profileLanguage: told?.language ?? person.profileLanguage,
  }
}

/** Control characters are refused by the house, and no name needs them. */
function nameOf(name: string | undefined): { displayName?: string } {
  const clean = [...(name ?? '').toWellFormed().replace(/\p{Cc}/gu, ' ')]
    .slice(0, DISPLAY_NAME_CHARACTERS_MAX)
    .join('')
    .trim()
  return clean === '' ? {} : { displayName: clean }
}

const pictureOf = (url: string | undefined): { pictureUrl?: string } =>
  url?.startsWith('https://') && url.length <= PICTURE_URL_CHARACTERS_MAX ? { pictureUrl: url } : {}
