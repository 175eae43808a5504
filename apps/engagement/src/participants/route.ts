import { UserId } from '@palanquin/domain/ids'
import {
  DEFAULT_VISIBILITY,
  ParticipantStatusBody,
  PhoneBody,
  PrivacyBody,
  UserSyncBody,
} from '@palanquin/domain/participant'
import { ok } from '@palanquin/service/http/app'
import { USER_HEADER } from '@palanquin/service/http/headers'
import { body, text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { respond } from '../respond.ts'
import { asOwner, type Participants, recordConsent, setPhone, setStatus, syncUser } from './change.ts'
import { GET_PROFILE, PHONE, PRIVACY, STATUS, SYNC } from './describe.ts'
import { ownProfile, profileOrNotFound } from './read-profile.ts'

/** Profile, phone number, consent and status of a participant. Contract section 2. */
export const participantRoutes = (participants: Participants) =>
  new Elysia({ name: 'participants' })
    .get(
      '/user/:userId',
      async ({ request, params: { userId } }) => {
        const isSelf = request.headers.get(USER_HEADER) === userId
        return respond(await (isSelf ? ownProfile : profileOrNotFound)(participants, userId))
      },
      { params: text(Type.Object({ userId: UserId })), detail: GET_PROFILE },
    )
    .post(
      '/user/sync',
      async (call) => respond(await syncUser(participants, await asOwner(participants, call))),
      { body: body(UserSyncBody), detail: SYNC },
    )
    .post(
      '/user/phone',
      async (call) => respond(await setPhone(participants, await asOwner(participants, call))),
      { body: body(PhoneBody), detail: PHONE },
    )
    .post(
      '/privacy',
      async (call) => {
        const { consent, version, visibility: input, ...sender } = await asOwner(participants, call)
        const { userId } = sender
        const wanted = { consent, version: version || null, visibility: input ?? DEFAULT_VISIBILITY }
        const { visibility, ...recorded } = await recordConsent(participants, sender, wanted)
        return ok({ userId, ...recorded, ...(input ? { visibility } : {}) })
      },
      { body: body(PrivacyBody), detail: PRIVACY },
    )
    .post(
      '/participant-status',
      async (call) => respond(await setStatus(participants, await asOwner(participants, call))),
      { body: body(ParticipantStatusBody), detail: STATUS },
    )
