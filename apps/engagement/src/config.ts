import { type BoundingBox, parseBoundingBox } from '@palanquin/domain/geo'
import { INSTANT_EXPECTED, parseInstant } from '@palanquin/domain/time'
import {
  ConfigurationError,
  type Environment,
  levelKm,
  optional,
  pseudonymSecret,
  readConfig,
  SERVICE_VARIABLES,
  text,
  timeZone,
  weakSecrets,
} from '@palanquin/service/config'
import Type, { type Static, type TObject } from 'typebox'
import type { EventFacts } from './activity/public.ts'

/** Baishatun to Beigang and back, with a margin for every route so far. */
const BOUNDS_DEFAULT = '120.1,23.4,121,24.8'

/** An instant with an offset, such as 2026-04-12T23:50:00+08:00. */
const instant = (description: string) =>
  optional(
    Type.Refine(
      text(description),
      (value) => parseInstant(value) !== null,
      () => `must be ${INSTANT_EXPECTED}`,
    ),
  )

/** All environment variables of the process. */
export const VARIABLES = {
  ...SERVICE_VARIABLES,
  DATABASE_URL: text('postgres:// address of the relational store'),
  PSEUDONYM_SECRET: pseudonymSecret,
  EVENT_TIMEZONE: timeZone('of the hours and days of aggregates', 'Asia/Taipei'),
  LEVEL_KM: levelKm,
  EVENT_NAME_ZH: text("the event's name in Chinese", '白沙屯媽祖進香'),
  EVENT_NAME_EN: text("the event's name in English", 'Baishatun Mazu Pilgrimage'),
  EVENT_DATES: optional(text('the dates as displayed: 2026.4.12 – 4.20')),
  EVENT_STARTS_AT: instant('when the activity begins: 2026-04-12T23:50:00+08:00'),
  EVENT_ENDS_AT: instant('when it is to end; an organiser ends it'),
  EVENT_BOUNDS: Type.Refine(
    text('west,south,east,north in degrees: what a map shows first', BOUNDS_DEFAULT),
    (value) => 'west' in parseBoundingBox(value),
    () => 'must be west,south,east,north in degrees',
  ),
  CONSENT_VERSION: Type.String({
    minLength: 1,
    maxLength: 32,
    description: 'current version of the consent text, 1 to 32 characters',
    default: '1',
  }),
  PUBLIC_BASE_URL: optional(text('https:// address that links to cards and pages begin with')),
  LIFF_URL: optional(text("address of the event's page inside LINE: https://liff.line.me/<id>")),
  USER_AUTH: Type.Union([Type.Literal('off'), Type.Literal('line'), Type.Literal('session')], {
    description: 'the setting of the gateway: off, line or session; shown to the pages',
    default: 'off',
  }),
  TRACKING_URL: text(
    'where tracking listens, for the final flush and erasures: http://host:port or unix:/path',
  ),
  MAP_URL: text('where the map listens, for the list of participants: http://host:port or unix:/path'),
  MEDIA_URL: text('where media listens, for erasures: http://host:port or unix:/path'),
  LINE_BOT_URL: text('where the LINE bot listens, for erasures: http://host:port or unix:/path'),
}

type Values = Static<TObject<typeof VARIABLES>>
export type EngagementConfig = Values & { event: EventFacts }

/** Reads the configuration. @throws ConfigurationError with all problems at once */
export function readEngagementConfig(env: Environment): EngagementConfig {
  const values = readConfig(VARIABLES, env, weakSecrets(env, ['PSEUDONYM_SECRET']))
  const { EVENT_STARTS_AT: startsAt, EVENT_ENDS_AT: endsAt } = values
  const startsAtMs = parseInstant(startsAt)
  const endsAtMs = parseInstant(endsAt)
  if (startsAtMs !== null && endsAtMs !== null && endsAtMs <= startsAtMs)
    throw new ConfigurationError(['EVENT_ENDS_AT must be after EVENT_STARTS_AT'])
  return { ...values, event: { ...factsOf(values), startsAtMs, endsAtMs } }
}

const factsOf = (values: Values): Omit<EventFacts, 'startsAtMs' | 'endsAtMs'> => ({
  name: { zh: values.EVENT_NAME_ZH, en: values.EVENT_NAME_EN },
  dates: values.EVENT_DATES ?? null,
  timezone: values.EVENT_TIMEZONE,
  bounds: boundsOf(values.EVENT_BOUNDS),
  consentVersion: values.CONSENT_VERSION,
  publicBaseUrl: values.PUBLIC_BASE_URL ?? null,
  liffUrl: values.LIFF_URL ?? null,
})

function boundsOf(value: string): BoundingBox {
  const box = parseBoundingBox(value)
  if ('error' in box) throw new ConfigurationError([`EVENT_BOUNDS ${box.error}`])
  return box
}
