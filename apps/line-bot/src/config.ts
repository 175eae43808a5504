import {
  ConfigurationError,
  type Environment,
  optional,
  readConfig,
  SERVICE_VARIABLES,
  text,
} from '@palanquin/service/config'

const VARIABLES = {
  ...SERVICE_VARIABLES,
  LINE_CHANNEL_SECRET: optional(text('verifies that a webhook comes from LINE')),
  LINE_CHANNEL_ACCESS_TOKEN: optional(text('sends messages in the name of the bot')),
}

/** What this process needs to know; `line` is null where LINE is not configured, which is no error. */
export function readLineBotConfig(env: Environment) {
  const config = readConfig(VARIABLES, env)
  const { LINE_CHANNEL_SECRET: channelSecret, LINE_CHANNEL_ACCESS_TOKEN: accessToken } = config
  if (channelSecret && accessToken) return { ...config, line: { channelSecret, accessToken } }
  // A bot that hears and cannot speak, or speaks and believes everybody, is a mistake and not a choice.
  if (channelSecret)
    throw new ConfigurationError([missing('LINE_CHANNEL_ACCESS_TOKEN', 'LINE_CHANNEL_SECRET')])
  if (accessToken) throw new ConfigurationError([missing('LINE_CHANNEL_SECRET', 'LINE_CHANNEL_ACCESS_TOKEN')])
  return { ...config, line: null }
}

export type LineBotConfig = ReturnType<typeof readLineBotConfig>

const missing = (name: keyof typeof VARIABLES, given: keyof typeof VARIABLES): string =>
  `${name} is missing while ${given} is set: LINE needs both, or neither`
