import { ApiError } from '@palanquin/service/http/api-error'
import { personId } from '../rate-limit/claims.ts'
import { sessionTokenOf } from '../sessions/cookie.ts'
import type { PresentSession } from '../sessions/present-session.ts'
import { hashOf } from '../sessions/secrets.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { bearerOf, type JudgeIdToken, USER_TOKEN_HEADER } from './id-token.ts'
import type { Verifier } from './verifier.ts'

/** A caller who has proven who they are; `countedAs` counts their calls. */
export type Recognised = { userId: string | undefined; countedAs: string }

/** Undefined for a caller who has proven nothing, for whatever reason. */
export type Recognise = {
  /** By what this process knows already. */
  now: (headers: Headers) => Recognised | undefined
  /** Looked up where that is needed. */
  surely: (headers: Headers, client: () => string) => Promise<Recognised | undefined>
}

/** Recognises callers by an ID token or else by a session cookie, where nothing but limits depends on who they are. */
export function recogniser({
  line,
  sessions,
  present,
}: {
  /** Undefined without LINE Login: Authorization is ignored then. */
  line: { judge: JudgeIdToken; verifier: Pick<Verifier, 'cachedUserOf'> } | undefined
  sessions: Pick<Sessions, 'cached'>
  present: PresentSession
}): Recognise {
  const person = ({ userId }: { userId: string }): Recognised => ({ userId, countedAs: personId(userId) })
  return {
    now: (headers) => {
      const authorization = headers.get(USER_TOKEN_HEADER)
      if (line && authorization !== null) {
        const user = line.verifier.cachedUserOf(bearerOf(authorization) ?? '')
        return user && person(user)
      }
      const token = sessionTokenOf(headers)
      return token === undefined ? undefined : sessions.cached(hashOf(token))
    },
    surely: async (headers, client) => {
      const authorization = headers.get(USER_TOKEN_HEADER)
      if (line && authorization !== null) {
        const judged = await line.judge(bearerOf(authorization), client)
        return judged instanceof ApiError ? undefined : person(judged)
      }
      const session = await present(headers, client)
      return session instanceof ApiError ? undefined : session
    },
  }
}
