import { ApiError } from '@palanquin/service/http/api-error'
import type { Checked } from '../proxy/headers.ts'
import { plainJson } from '../response.ts'
import { REMOVED_COOKIE, sessionTokenOf } from './cookie.ts'
import type { SessionHandler } from './handler.ts'
import { hashOf } from './secrets.ts'
import type { SessionService } from './session-service.ts'
import type { Sessions } from './sessions.ts'

const noSession = new ApiError('notFound', 'None of your sessions has this id: it has ended.')

type Parts = {
  sessions: Pick<Sessions, 'forget'>
  service: Pick<SessionService, 'own' | 'endOwn'>
}

/** `GET /sessions` and `DELETE /sessions/{id}`: where somebody is signed in. */
export function ownSessions({ sessions, service }: Parts): { list: SessionHandler; end: SessionHandler } {
  return {
    list: async ({ headers }, checked) => {
      const data = await service.own(callerOf(checked), hashIn(headers) ?? null)
      return plainJson({ ok: true, data }, 200)
    },
    end: async ({ headers }, checked) => {
      const ended = await service.endOwn(callerOf(checked), checked.params.id ?? '')
      if (ended.length === 0) return noSession
      sessions.forget(ended)
      const removal = ended.includes(hashIn(headers) ?? '') ? { 'set-cookie': REMOVED_COOKIE } : {}
      return plainJson({ ok: true, data: { ended: true } }, 200, removal)
    },
  }
}

/** The checks let nobody else through. */
function callerOf({ verifiedUserId }: Checked): string {
  if (verifiedUserId === undefined) throw new Error('a route for own sessions was reached without a caller')
  return verifiedUserId
}

function hashIn(headers: Headers): string | undefined {
  const token = sessionTokenOf(headers)
  return token === undefined ? undefined : hashOf(token)
}
