import { INSTANT_EXPECTED, parseInstant } from '@palanquin/domain/time'
import { OBJECTS_VARIABLES, objectsProblems } from '@palanquin/objects/access'
import {
  type Environment,
  integer,
  optional,
  pseudonymSecret,
  readConfig,
  SERVICE_VARIABLES,
  text,
  weakSecrets,
} from '@palanquin/service/config'
import Type from 'typebox'

const CARD_WORKERS_MAX = 64

/** Every variable that the process reads. */
export const VARIABLES = {
  ...SERVICE_VARIABLES,
  ...OBJECTS_VARIABLES,
  DATABASE_URL: text('postgres:// address of the relational store'),
  PSEUDONYM_SECRET: pseudonymSecret,
  ENGAGEMENT_URL: text('where engagement listens, for the figures of a card: http://host:port or unix:/path'),
  TRACKING_URL: text('where tracking listens, for photos that are check-ins: http://host:port or unix:/path'),
  EVENT_BRAND: text('brand of the event; part of every public path', 'event'),
  EVENT_NAME_ZH: text("the event's name on Chinese cards", '白沙屯媽祖進香'),
  EVENT_NAME_EN: text("the event's name on English cards", 'Baishatun Mazu Pilgrimage'),
  EVENT_STARTS_AT: optional(
    Type.Refine(
      text('when the activity begins, 2026-04-12T23:50:00+08:00: earlier points of files are not imported'),
      (value) => parseInstant(value) !== null,
      () => `must be ${INSTANT_EXPECTED}`,
    ),
  ),
  EVENT_DATES: optional(text('the dates on the cards, as shown: 2026.4.12 – 4.20')),
  PUBLIC_BASE_URL: optional(
    text('https:// address that links to cards begin with; without it they are paths'),
  ),
  CARD_WORKERS: integer('threads that render cards (0: one per processor core, minus one)', {
    minimum: 0,
    maximum: CARD_WORKERS_MAX,
    default: 0,
  }),
}

/** The configuration of the service. @throws ConfigurationError with every problem at once */
export const readMediaConfig = (env: Environment) =>
  readConfig(VARIABLES, env, [...weakSecrets(env, ['PSEUDONYM_SECRET']), ...objectsProblems(env)])

export type MediaConfig = ReturnType<typeof readMediaConfig>
