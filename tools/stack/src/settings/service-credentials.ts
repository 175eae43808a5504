import { grantRoles, type ServiceRole } from '@palanquin/db/roles'
import { keepSecret } from '@palanquin/embedded/file'
import type { Home } from '../run-state/home.ts'
import type { ServerAddresses } from '../units/external-stores.ts'
import { redisUrlOf } from './redis-users.ts'
import type { ServiceCredentials } from './service-environment.ts'
import type { Settings } from './settings.ts'

/**
 * The URLs of the embedded PostgreSQL (with its schema up to date) and Redis, with a user for each service.
 * External servers are used with the configured user: their users are their owner's to make.
 */
export async function serviceCredentials(
  home: Home,
  settings: Settings,
  { databaseUrl, redisUrl }: ServerAddresses,
): Promise<ServiceCredentials> {
  const password = (service: ServiceRole) => keepSecret(home.secret(`postgres-${service}`))
  const databaseUrls = settings.DATABASE_URL
    ? {
        tracking: databaseUrl,
        map: databaseUrl,
        engagement: databaseUrl,
        media: databaseUrl,
        'line-bot': databaseUrl,
      }
    : await grantRoles(databaseUrl, {
        tracking: password('tracking'),
        map: password('map'),
        engagement: password('engagement'),
        media: password('media'),
        'line-bot': password('line-bot'),
      })
  const redisOf = (user: keyof ServiceCredentials['redisUrls']) =>
    settings.REDIS_URL ? redisUrl : redisUrlOf(home, user, redisUrl)
  const redisUrls = {
    gateway: redisOf('gateway'),
    tracking: redisOf('tracking'),
    map: redisOf('map'),
    engagement: redisOf('engagement'),
    media: redisOf('media'),
    'line-bot': redisOf('line-bot'),
  }
  return { databaseUrls, redisUrls }
}
