import { ApiError } from '@palanquin/service/http/api-error'
import { HOST_HEADER, USER_HEADER } from '@palanquin/service/http/headers'
import { administratorOf } from '../roles/caller.ts'
import type { Acting } from './store.ts'

/** The participant whom the gateway vouches for, or an administrator of tier 2. */
export function actingOf(headers: Headers): Acting | ApiError {
  const owner = headers.get(USER_HEADER)
  if (owner !== null) return { owner, by: null }
  const administrator = administratorOf(headers, 'manager')
  return administrator instanceof ApiError ? administrator : { owner: null, by: administrator.by }
}

/** The origin of this service as phones reach it: as configured, or as the caller did. */
export const baseOf = (headers: Headers, configured: string | null): string =>
  (configured ?? `https://${headers.get(HOST_HEADER) ?? 'localhost'}`).replace(/\/$/, '')
