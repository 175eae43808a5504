import { ApiError } from '@palanquin/service/http/api-error'
import { foreignOrigin } from '../auth/admin-session.ts'
import { readCredentials } from './credentials.ts'
import type { LinkDevice, Linked } from './link-device.ts'
import type { IsOwnOrigin } from './own-origin.ts'
import type { PresentSession } from './present-session.ts'

const notSignedIn = new ApiError(
  'unauthorized',
  'This needs the session that is to be joined: sign in first.',
)

/** `POST /session/link` up to its answer: who calls, from where, and with which credentials. `replaced` is their session until now. */
export async function joinDevice(
  {
    linkDevice,
    present,
    isOwnOrigin,
  }: { linkDevice: LinkDevice; present: PresentSession; isOwnOrigin: IsOwnOrigin },
  { headers, bytes, client }: { headers: Headers; bytes: ArrayBuffer; client: () => string },
): Promise<(Linked & { replaced: string }) | ApiError> {
  const session = await present(headers, client)
  if (session instanceof ApiError) return session
  if (!session) return notSignedIn
  if (!isOwnOrigin(headers)) return foreignOrigin
  const credentials = readCredentials(bytes)
  if (credentials instanceof ApiError) return credentials
  const linked = await linkDevice(credentials, { headers, client, present: session })
  return linked instanceof ApiError ? linked : { ...linked, replaced: session.hash }
}
