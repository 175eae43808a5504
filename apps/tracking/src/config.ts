import { DEFAULT_SOURCES } from '@palanquin/domain/point'
import {
  type Environment,
  integer,
  listOf,
  pseudonymSecret,
  readConfig,
  SERVICE_VARIABLES,
  text,
  timeZone,
  toggle,
  weakSecrets,
} from '@palanquin/service/config'
import { cronPattern } from '@palanquin/service/cron-pattern'

const GIBIBYTE = 1024 ** 3

/** Every variable that the tracking service reads. */
export const VARIABLES = {
  ...SERVICE_VARIABLES,
  DATABASE_URL: text('postgres:// address of the relational store'),
  JOURNAL_DIR: text('folder of the disk journal, one for each instance, on a disk that survives a restart'),
  JOURNAL_FSYNC: toggle('on: what is answered waits for the disk itself and survives a power cut too', 'on'),
  JOURNAL_BYTES_MAX: integer('the share of the disk that the journal may fill, in bytes', {
    minimum: 65_536,
    maximum: 1024 * GIBIBYTE,
    default: 2 * GIBIBYTE,
  }),
  VALID_SOURCES: text('client sources that may send GPS, comma-separated', DEFAULT_SOURCES.join(',')),
  GPS_DRIFT_GUARD: toggle('on: a stay of five minutes within 40 m is one place', 'off'),
  EVENT_TIMEZONE: timeZone('whose hours and days the aggregates are kept in', 'Asia/Taipei'),
  FLUSH_SCHEDULE: cronPattern('when the buffer is flushed: cron, a seconds field allowed', '*/5 * * * *'),
  PACK_AFTER_HOURS: integer('how many hours after its end an hour of stored points is packed', {
    minimum: 1,
    maximum: 24 * 365,
    default: 2,
  }),
  PACK_SCHEDULE: cronPattern('when points at rest are packed: cron, a seconds field allowed', '10 * * * *'),
  PSEUDONYM_SECRET: pseudonymSecret,
}

/** The configuration of a tracking process. @throws ConfigurationError naming every problem */
export function trackingConfig(env: Environment) {
  const config = readConfig(VARIABLES, env, weakSecrets(env, ['PSEUDONYM_SECRET']))
  return {
    ...config,
    validSources: listOf(config.VALID_SOURCES),
    driftGuard: config.GPS_DRIFT_GUARD === 'on',
    journalFsync: config.JOURNAL_FSYNC === 'on',
  }
}

export type TrackingConfig = ReturnType<typeof trackingConfig>
