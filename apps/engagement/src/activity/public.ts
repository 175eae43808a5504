import { PauseMessage, PublicStatus, publicStatus } from '@palanquin/domain/activity'
import { BoundingBox } from '@palanquin/domain/degrees'
import type { BoundingBox as Box } from '@palanquin/domain/geo'
import { Nullable } from '@palanquin/domain/optional'
import { Iso, toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import type { AnnouncedActivity } from './store.ts'

/** A text in both languages of the event. */
const BothLanguages = Type.Object({
  zh: Type.String({ description: 'in Chinese' }),
  en: Type.String({ description: 'in English' }),
})

/** Features of the deployment, so that pages show only what works. */
export const Features = Type.Object(
  {
    line: Type.Boolean({ description: 'whether there is a LINE bot' }),
    auth: Type.Boolean({
      description: 'whether public writes need a session or a LIFF ID token (USER_AUTH)',
    }),
    survey: Type.Boolean({ description: 'whether surveys are taken; not after the end' }),
    photos: Type.Boolean({ description: 'whether photos are taken; they come through the LINE bot' }),
  },
  { description: 'what is offered' },
)
export type Features = Static<typeof Features>

/** The event as configured. */
export type EventFacts = {
  name: { zh: string; en: string }
  dates: string | null
  startsAtMs: number | null
  endsAtMs: number | null
  timezone: string
  bounds: Box
  consentVersion: string
  publicBaseUrl: string | null
  liffUrl: string | null
}

/** `GET /activity`, the same for all callers. */
export const PublicActivity = Type.Object({
  status: PublicStatus,
  since: Iso,
  message: Nullable(PauseMessage, 'what the organisers say while it is paused; else null'),
  name: Type.Object(BothLanguages.properties, { description: 'the name of the event' }),
  dates: Nullable(Type.String(), 'the dates as the organisers write them'),
  startsAt: Nullable(Iso, 'when it begins, where that was set'),
  endsAt: Nullable(Iso, 'when it is to end, where that was set; it ends when an organiser ends it'),
  timezone: Type.String({ description: 'IANA name of the time zone of the event' }),
  bounds: BoundingBox,
  features: Features,
  consentVersion: Type.String({ description: 'current version of the consent text' }),
})
export type PublicActivity = Static<typeof PublicActivity>

/** The public view of the activity at `nowMs`. */
export function publicActivity(
  activity: AnnouncedActivity,
  { facts, features, nowMs }: { facts: EventFacts; features: Pick<Features, 'line' | 'auth'>; nowMs: number },
): PublicActivity {
  const { status: present, since, message } = activity
  const { status, sinceMs } = publicStatus(
    { status: present, sinceMs: Date.parse(since) },
    facts.startsAtMs,
    nowMs,
  )
  const { name, dates, startsAtMs, endsAtMs, timezone, bounds, consentVersion } = facts
  return {
    status,
    since: toIso(sinceMs),
    message: status === 'paused' ? (message ?? null) : null,
    name,
    dates,
    startsAt: startsAtMs === null ? null : toIso(startsAtMs),
    endsAt: endsAtMs === null ? null : toIso(endsAtMs),
    timezone,
    bounds,
    features: { ...features, survey: status !== 'ended', photos: features.line },
    consentVersion,
  }
}
