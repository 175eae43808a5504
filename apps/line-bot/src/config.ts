import {
  ConfigurationError,
  type Environment,
  integer,
  optional,
  pseudonymSecret,
  readConfig,
  SERVICE_VARIABLES,
  text,
  timeZone,
  toggle,
  weakSecrets,
} from '@palanquin/service/config'
import { cronPattern } from '@palanquin/service/cron-pattern'

/** Every variable that the process reads. */
export const VARIABLES = {
  ...SERVICE_VARIABLES,
  DATABASE_URL: text('postgres:// address of the relational store'),
  PSEUDONYM_SECRET: pseudonymSecret,
  ENGAGEMENT_URL: text('where engagement listens: http://host:port or unix:/path'),
  TRACKING_URL: text('where tracking listens: http://host:port or unix:/path'),
  MAP_URL: text('where the map process listens: http://host:port or unix:/path'),
  MEDIA_URL: text('where media listens: http://host:port or unix:/path'),
  EVENT_NAME_ZH: text("the event's name in Chinese messages", '白沙屯媽祖進香'),
  EVENT_NAME_EN: text("the event's name in English messages", 'Baishatun Mazu Pilgrimage'),
  EVENT_TIMEZONE: timeZone('the time zone of times in messages', 'Asia/Taipei'),
  PUSH_SCHEDULE: cronPattern(
    'cron pattern at which scheduled messages whose time has come are sent',
    '0 * * * *',
  ),
  HEALTH_SCHEDULE: cronPattern('cron pattern of the health check', '* * * * *'),
  ALERT_WEBHOOK_URL: optional(text('http(s):// address that alerts are posted to besides, as JSON')),
  LINE_QUOTA_RESERVE: integer("percent of the month's messages that are kept for urgent ones", {
    minimum: 0,
    maximum: 100,
    default: 10,
  }),
  LINE_CONGRATULATIONS: toggle(
    'whether an unlocked achievement is congratulated on; each costs a message',
    'on',
  ),
  LINE_CHANNEL_SECRET: optional(text('verifies that a webhook comes from LINE')),
  LINE_CHANNEL_ACCESS_TOKEN: optional(text('sends messages in the name of the bot')),
  LINE_API_BASE: text("address of LINE's Messaging API", 'https://api.line.me'),
  LINE_DATA_API_BASE: text('address of its host for pictures', 'https://api-data.line.me'),
  PUBLIC_BASE_URL: optional(text('https:// address that links to cards and pages begin with')),
  LIFF_URL: optional(text("address of the event's page inside LINE: https://liff.line.me/<id>")),
}

/** What this process needs to know; `line` is null where LINE is not configured, which is no error. */
export function readLineBotConfig(env: Environment) {
  const config = readConfig(VARIABLES, env, weakSecrets(env, ['PSEUDONYM_SECRET']))
  const { LINE_CHANNEL_SECRET: channelSecret, LINE_CHANNEL_ACCESS_TOKEN: accessToken } = config
  const { LINE_API_BASE: apiBase, LINE_DATA_API_BASE: dataApiBase } = config
  const problems = [apiBase, dataApiBase].flatMap((base, index) =>
    URL.canParse(base) ? [] : [`${index === 0 ? 'LINE_API_BASE' : 'LINE_DATA_API_BASE'} is no address`],
  )
  // A bot that cannot send, or that cannot verify webhooks, is a mistake and not a choice.
  if (channelSecret && !accessToken)
    problems.push(missing('LINE_CHANNEL_ACCESS_TOKEN', 'LINE_CHANNEL_SECRET'))
  if (accessToken && !channelSecret)
    problems.push(missing('LINE_CHANNEL_SECRET', 'LINE_CHANNEL_ACCESS_TOKEN'))
  if (problems.length > 0) throw new ConfigurationError(problems)
  if (!channelSecret || !accessToken) return { ...config, line: null }
  return { ...config, line: { channelSecret, accessToken, apiBase, dataApiBase } }
}

export type LineBotConfig = ReturnType<typeof readLineBotConfig>

const missing = (name: keyof typeof VARIABLES, input: keyof typeof VARIABLES): string =>
  `${name} is missing while ${input} is set: LINE needs both, or neither`
