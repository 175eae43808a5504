import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'
import type { LocalRoute } from '../local-route.ts'
import type { PlainResponse } from '../response.ts'
import type { FilledPage } from './filled-page.ts'

const DEADLINE_MS = 2_000
const TOKEN = /^\/s\/([A-Za-z0-9_-]{1,64})$/
const State = Type.Object({ ended: Type.Boolean() })
/** The address is a secret: nothing keeps the page, and no link from it reveals it. */
const HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** `/s/<token>`: what a family link shows; 410 once it has ended, 404 where there is none. */
export const sharePage = ({
  engagement,
  page,
  endedPage,
  notFound,
}: {
  engagement: Pick<ServiceClient, 'call'>
  page: FilledPage
  endedPage: FilledPage
  notFound: (request: Request) => Promise<PlainResponse>
}): LocalRoute => ({
  path: '/s/:token',
  limit: 'pages',
  respond: async (request) => {
    const token = TOKEN.exec(new URL(request.url).pathname)?.[1]
    const state = token === undefined ? 'unknown' : await stateOf(engagement, token)
    if (state === 'unknown') return notFound(request)
    return state === 'ended'
      ? endedPage(request, { status: 410, headers: HEADERS })
      : page(request, { headers: HEADERS })
  },
})

/** While it cannot be looked up the page is shown, and says itself what is wrong. */
async function stateOf(
  engagement: Pick<ServiceClient, 'call'>,
  token: string,
): Promise<'open' | 'ended' | 'unknown'> {
  try {
    const path = `/internal/shares/${token}` as const
    const reply = await engagement.call({ path, deadlineMs: DEADLINE_MS, reply: State })
    if (!reply.ok) return 'unknown'
    return reply.data.ended ? 'ended' : 'open'
  } catch (error) {
    if (error instanceof StoreUnavailable) return 'open'
    throw error
  }
}
