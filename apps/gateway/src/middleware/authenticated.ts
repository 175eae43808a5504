import { ApiError, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import { type Caller, PUBLIC } from '../auth/caller.ts'
import { countCaller } from '../auth/count-caller.ts'
import { namedUserOf } from '../auth/named-user.ts'
import { withOwnId } from '../auth/own-id.ts'
import { ownIdentity, type UserIdentity, userMismatch } from '../auth/user.ts'
import type { Params } from '../paths.ts'
import { personId } from '../rate-limit/claims.ts'
import { type CheckInput, type CheckResult, type Checks, rejected } from './check.ts'
import { readContent } from './content.ts'

const notIssued = new ApiError('notFound', 'There is no such link.')

/** A caller whose credentials were looked at. */
export type Authenticated = { caller: Caller; params: Params; known: UserIdentity }

/** Token 401, tier 403, admin rate 429, and the 401 of the participant. */
export async function authenticate(
  checks: Checks,
  { route, params: named, request }: CheckInput,
  client: () => string,
): Promise<Authenticated | CheckResult> {
  const caller =
    route.token === 'none' ? PUBLIC : await checks.authenticateAdmin(route, request.headers, client())
  if (caller instanceof ApiError) return rejected(caller)
  const params = await withOwnId(checks.authenticateUser, {
    route,
    params: named,
    headers: request.headers,
    client,
  })
  if (params instanceof ApiError) return rejected(params, caller.headers)
  const known =
    route.userAuth === 'none'
      ? null
      : await checks.authenticateUser(route, { headers: request.headers, tier: caller.tier, client })
  if (known instanceof ApiError) return rejected(known, caller.headers)
  return { caller, params, known }
}

/** The remaining checks of an admitted request, and its call of the service. */
export async function forwardAuthenticated(
  checks: Checks,
  { caller, params, known }: Authenticated,
  {
    input: { route, request, requestId, isAlone = false },
    bytes,
    client,
  }: { input: CheckInput; bytes: ArrayBuffer; client: () => string },
): Promise<CheckResult> {
  const { tier, token, actor } = caller

  const content = readContent(route, request, bytes)
  if (content instanceof ApiError) return rejected(content, caller.headers)
  const { query } = content
  const userId =
    known === null ? content.userId : await namedUserOf(content, { route, params, request, bytes })
  if (userId instanceof ApiError) return rejected(userId, caller.headers)
  const identity = route.userAuth === 'recognised' ? ownIdentity(known, userId) : known
  const mismatch = userMismatch(identity, userId)
  if (mismatch) return rejected(mismatch, caller.headers)
  const verifiedUserId = identity?.userId

  // A route for the caller's own data names no other person, and counts as theirs.
  const ofUser = userId ?? (route.userAuth === 'self' ? verifiedUserId : undefined)
  const { limited, prover } = await countCaller(checks, {
    route,
    headers: request.headers,
    counted: {
      client,
      userId: ofUser,
      token,
      verifiedUserId,
      prover: token ?? (known?.userId === undefined ? undefined : personId(known.userId)),
      bytes: bytes.byteLength,
      query,
    },
  })
  if (limited instanceof ApiError) return rejected(limited)

  let status: number = STATUS_BY_CODE.bug
  try {
    if (route.issued && !checks.tags.isTagged(route.issued, params.token ?? '')) {
      status = STATUS_BY_CODE.notFound
      return rejected(notIssued, limited.headers)
    }
    const { json } = content
    const named = route.userId === 'body' ? userId : undefined
    const checked = {
      route,
      params,
      query,
      bytes,
      json,
      userId: named,
      requestId,
      tier,
      client,
      verifiedUserId,
      actor,
      isAlone,
      prover,
    }
    const result = await checks.forward(request, checked)
    status = result instanceof ApiError ? STATUS_BY_CODE[result.code] : result.status
    return { result, limits: token === undefined ? limited.headers : caller.headers, client }
  } finally {
    limited.settle?.(status)
  }
}
