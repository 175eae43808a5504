import {
  type Environment,
  levelKm,
  pseudonymSecret,
  readConfig,
  SERVICE_VARIABLES,
  text,
  toggle,
  weakSecrets,
} from '@palanquin/service/config'

/** Every variable that the map process reads. */
export const VARIABLES = {
  ...SERVICE_VARIABLES,
  DATABASE_URL: text('postgres:// address of the relational store; reading it is enough'),
  GPS_DRIFT_GUARD: toggle('as for tracking, so that a filtered track shows what the distance counted', 'off'),
  LEVEL_KM: levelKm,
  PSEUDONYM_SECRET: pseudonymSecret,
}

/** The configuration of a map process. @throws ConfigurationError naming every problem */
export function mapConfig(env: Environment) {
  const config = readConfig(VARIABLES, env, weakSecrets(env, ['PSEUDONYM_SECRET']))
  return { ...config, driftGuard: config.GPS_DRIFT_GUARD === 'on' }
}

export type MapConfig = ReturnType<typeof mapConfig>
