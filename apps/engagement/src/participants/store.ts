import type { Database, Parameter } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { participants } from '@palanquin/db/schema/engagement'
import {
  changeParticipant,
  PARTICIPANT_STATUSES,
  ParticipantStatus,
  Visibility,
} from '@palanquin/domain/participant'
import type { Receipt } from '@palanquin/service/erasure-token'
import { eq } from 'drizzle-orm'
import Type, { type Static } from 'typebox'
import { CONSENT, PHONE, STATUS, SYNC } from './sql.ts'

/** Columns that decide on a change of status or consent. */
const COLUMNS = {
  status: participants.status,
  consent: participants.consent,
  visibility: participants.visibility,
  version: participants.consentVersion,
  consentAt: participants.consentAt,
}
const ConsentAndStatus = Type.Object({
  status: ParticipantStatus,
  consent: Type.Boolean(),
  visibility: Visibility,
  version: Nullable(Type.String()),
  consentAt: Nullable(Timestamp),
})
export type ConsentAndStatus = Static<typeof ConsentAndStatus>

/** Whose a write is, and when it was received: it is none where they were erased since. */
export type Sender = { userId: string; receipt: Receipt }

/** The fields of `POST /user/sync`; null leaves one as it is. */
type SyncFields = { displayName: string | null; pictureUrl: string | null; language: string | null }

/** A consent or its withdrawal, the version of the text that was shown, and what it shows to the public. */
export type Consent = { consent: boolean; version: string | null; visibility: Visibility }

/** Writes create an unknown participant; they return the row, or null where nothing changed or the participant was erased meanwhile. All throw StoreUnavailable. */
export function participantStore(db: Database) {
  const write = async (
    statement: string,
    parameters: readonly Parameter[],
  ): Promise<ConsentAndStatus | null> => {
    const [row] = await db.queryAs(ConsentAndStatus, statement, parameters)
    return row ?? null
  }
  return {
    sync: ({ userId, receipt }: Sender, { displayName, pictureUrl, language }: SyncFields) =>
      write(SYNC, [userId, displayName, pictureUrl, language, receipt]),
    /** `phone` in E.164, null removes it. */
    setPhone: ({ userId, receipt }: Sender, phone: string | null) => write(PHONE, [userId, phone, receipt]),
    setConsent: ({ userId, receipt }: Sender, { consent, version, visibility }: Consent) =>
      write(CONSENT, [userId, consent, version, visibility, receipt]),
    /** Only from a status that the domain lets become `to`, checked under the row's lock. */
    setStatus: ({ userId, receipt }: Sender, to: ParticipantStatus) =>
      write(STATUS, [userId, to, whichMayBecome(to), receipt]),
    read: async (userId: string): Promise<ConsentAndStatus | null> => {
      const [row] = await db.orm((orm) =>
        orm.select(COLUMNS).from(participants).where(eq(participants.userId, userId)),
      )
      return row ?? null
    },
  }
}

export type ParticipantStore = ReturnType<typeof participantStore>

function whichMayBecome(to: ParticipantStatus): ParticipantStatus[] {
  return PARTICIPANT_STATUSES.filter((from) => {
    const change = changeParticipant(from, to)
    return 'changed' in change && change.changed
  })
}
