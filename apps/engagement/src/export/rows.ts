import type { Database } from '@palanquin/db/client'
import {
  consentHistory,
  devices,
  feedback,
  sessions,
  shares,
  surveyHistory,
} from '@palanquin/db/schema/engagement'
import { cards, photos } from '@palanquin/db/schema/media'
import { beaconDevices, beacons } from '@palanquin/db/schema/tracking'
import { Survey } from '@palanquin/domain/survey'
import { surveyInWords } from '@palanquin/domain/survey/in-words'
import { toIso } from '@palanquin/domain/time'
import { asc, eq } from 'drizzle-orm'
import { Compile } from 'typebox/compile'

const surveys = Compile(Survey)

/** The lists of an export but for points: each is bounded by rate limits and quotas. All throw StoreUnavailable. */
export const exportedLists = (db: Pick<Database, 'orm'>) => ({
  /** Every consent and withdrawal, oldest first. */
  consents: async (userId: string) =>
    (
      await db.orm((orm) =>
        orm
          .select()
          .from(consentHistory)
          .where(eq(consentHistory.userId, userId))
          .orderBy(asc(consentHistory.id)),
      )
    ).map(({ consent, version, visibility, recordedAt }) => ({
      consent,
      version,
      visibility,
      recordedAt: toIso(recordedAt.getTime()),
    })),
  /** Every submission that changed something, oldest first; `answers` null if another version of the service stored them. */
  surveys: async (userId: string) =>
    (
      await db.orm((orm) =>
        orm
          .select()
          .from(surveyHistory)
          .where(eq(surveyHistory.userId, userId))
          .orderBy(asc(surveyHistory.id)),
      )
    ).map(({ answers, submittedAt }) => ({
      submittedAt: toIso(submittedAt.getTime()),
      answers: surveys.Check(answers) ? surveyInWords(answers) : null,
    })),
  feedback: async (userId: string) =>
    (
      await db.orm((orm) =>
        orm.select().from(feedback).where(eq(feedback.userId, userId)).orderBy(asc(feedback.seq)),
      )
    ).map(({ id, category, message, screenshot, status, reply, createdAt, updatedAt }) => ({
      id,
      category,
      message,
      screenshot,
      status,
      reply,
      createdAt: toIso(createdAt.getTime()),
      updatedAt: toIso(updatedAt.getTime()),
    })),
  photos: async (userId: string) =>
    (
      await db.orm((orm) =>
        orm
          .select()
          .from(photos)
          .where(eq(photos.userId, userId))
          .orderBy(asc(photos.createdAt), asc(photos.id)),
      )
    ).map(({ id, createdAt }) => ({ id, createdAt: toIso(createdAt.getTime()) })),
  cards: async (userId: string) =>
    (await db.orm((orm) => orm.select().from(cards).where(eq(cards.userId, userId)))).map(
      ({ generatedAt }) => ({ generatedAt: toIso(generatedAt.getTime()) }),
    ),
  /** The apps that send positions in the participant's name, without their tokens. */
  devices: async (userId: string) =>
    (
      await db.orm((orm) =>
        orm.select().from(devices).where(eq(devices.userId, userId)).orderBy(asc(devices.createdAt)),
      )
    ).map(({ deviceId, app, name, createdAt }) => ({
      deviceId,
      app,
      name,
      createdAt: toIso(createdAt.getTime()),
    })),
  /** Where the participant is or was signed in lately; a token is not kept. */
  sessions: async (userId: string) =>
    (
      await db.orm((orm) =>
        orm.select().from(sessions).where(eq(sessions.userId, userId)).orderBy(asc(sessions.createdAt)),
      )
    ).map(({ kind, device, createdAt, lastSeenAt, expiresAt, endedAt }) => ({
      kind,
      device,
      createdAt: toIso(createdAt.getTime()),
      lastSeenAt: toIso(lastSeenAt.getTime()),
      expiresAt: toIso(expiresAt.getTime()),
      endedAt: endedAt && toIso(endedAt.getTime()),
    })),
  /** Links for the family, without their secrets. */
  shares: async (userId: string) =>
    (
      await db.orm((orm) =>
        orm.select().from(shares).where(eq(shares.userId, userId)).orderBy(asc(shares.createdAt)),
      )
    ).map(({ createdAt, expiresAt, endedAt }) => ({
      createdAt: toIso(createdAt.getTime()),
      expiresAt: toIso(expiresAt.getTime()),
      endedAt: endedAt && toIso(endedAt.getTime()),
    })),
  /** The beacons that the participant's device carries. */
  carries: async (userId: string) =>
    (
      await db.orm((orm) =>
        orm
          .select({ kind: beacons.kind, zh: beacons.nameZh, en: beacons.nameEn, since: beaconDevices.since })
          .from(beaconDevices)
          .innerJoin(beacons, eq(beacons.id, beaconDevices.beaconId))
          .where(eq(beaconDevices.userId, userId)),
      )
    ).map(({ kind, zh, en, since }) => ({ kind, name: { zh, en }, since: toIso(since.getTime()) })),
})

export type ExportedLists = ReturnType<typeof exportedLists>
