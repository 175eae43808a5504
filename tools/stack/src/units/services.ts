/** The services behind the gateway. */
export const SERVICES = ['tracking', 'map', 'engagement', 'media', 'line-bot'] as const
export type Service = (typeof SERVICES)[number]
export const GATEWAY = 'gateway'
