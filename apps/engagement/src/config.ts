import { type Environment, readConfig, SERVICE_VARIABLES, text, timeZone } from '@palanquin/service/config'

const VARIABLES = {
  ...SERVICE_VARIABLES,
  DATABASE_URL: text('postgres:// address of the relational store'),
  EVENT_TIMEZONE: timeZone('whose hours and days the aggregates are kept in', 'Asia/Taipei'),
  TRACKING_URL: text(
    'where tracking listens, for the final flush and erasures: http://host:port or unix:/path',
  ),
  MAP_URL: text('where the map listens, which knows who has sent points: http://host:port or unix:/path'),
  MEDIA_URL: text('where media listens, for erasures: http://host:port or unix:/path'),
  LINE_BOT_URL: text('where the LINE bot listens, for erasures: http://host:port or unix:/path'),
}

/** What this process needs to know. @throws ConfigurationError with every problem at once */
export const readEngagementConfig = (env: Environment) => readConfig(VARIABLES, env)

export type EngagementConfig = ReturnType<typeof readEngagementConfig>
