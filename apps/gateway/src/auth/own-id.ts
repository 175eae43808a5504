import { ApiError } from '@palanquin/service/http/api-error'
import { OWN, type Params } from '../paths.ts'
import type { Route } from '../route.ts'
import { PUBLIC } from './caller.ts'
import type { AuthenticateUser } from './user.ts'

/**
 * The parameters of a path with the caller's own id in the place of `@me`, whatever USER_AUTH is; 401 where the caller is not signed
 * in. So pages have no id in any address, where histories, proxies and their logs would keep it.
 */
export async function withOwnId(
  authenticateUser: AuthenticateUser,
  {
    route,
    params,
    headers,
    client,
  }: { route: Route; params: Params; headers: Headers; client: () => string },
): Promise<Params | ApiError> {
  if (params.userId !== OWN) return params
  const own = await authenticateUser({ ...route, userAuth: 'self' }, { headers, tier: PUBLIC.tier, client })
  if (own instanceof ApiError) return own
  if (own?.userId === undefined) throw new Error('a route for the own data was reached without a caller')
  return { ...params, userId: own.userId }
}
