import { ApiError } from '@palanquin/service/http/api-error'
import type { JudgeAdminToken } from '../auth/admin-token.ts'
import type { JudgeIdToken } from '../auth/id-token.ts'
import type { JudgeLineCode } from '../auth/line-code.ts'
import type { Tier } from '../route.ts'
import type { Credentials } from './credentials.ts'

/** Who the credentials are of; `device` and `recovery` are settled where sessions are stored. */
export type Identified =
  | { userId: string }
  | { admin: { token: string; countedAs: string; tier: Exclude<Tier, 0> } }

/** How this gateway judges credentials; undefined for what is not set up. */
export type Judges = {
  idToken: JudgeIdToken | undefined
  lineCode: ((headers: Headers) => JudgeLineCode) | undefined
  adminToken: JudgeAdminToken
}

const notSetUp = (field: string) =>
  new ApiError(
    'invalid',
    `${field}: signing in with LINE is not set up here (docs/operations.md, "Sessions")`,
  )

type OfSomebody = Extract<Credentials, { by: 'liff' | 'code' | 'admin' }>

/** The person, or the admin token, that credentials authenticate. */
export async function identify(
  judges: Judges,
  credentials: OfSomebody,
  { headers, client }: { headers: Headers; client: () => string },
): Promise<Identified | ApiError> {
  if (credentials.by === 'liff')
    return judges.idToken ? judges.idToken(credentials.idToken, client) : notSetUp('liffIdToken')
  if (credentials.by === 'code')
    return judges.lineCode ? judges.lineCode(headers)(credentials, client) : notSetUp('code')
  const { token } = credentials
  const judged = await judges.adminToken(token, client())
  if (judged instanceof ApiError) return judged
  return { admin: { token, tier: judged.tier, countedAs: judged.hash.toString('base64url') } }
}
