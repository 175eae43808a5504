import type { CredentialTags } from '@palanquin/service/credential-tags'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'
import type { LocalRoute } from '../local-route.ts'
import type { Asset } from '../prebuilt/asset.ts'
import type { PlainResponse } from '../response.ts'

const DEADLINE_MS = 2_000
const TOKEN = /^\/s\/([A-Za-z0-9_-]{1,64})$/
const State = Type.Object({ ended: Type.Boolean() })

/** `/s/<token>`: what a family link shows; 410 once it has ended, 404 where there is none. */
export const sharePage = ({
  engagement,
  tags,
  page,
  endedPage,
  notFound,
}: {
  engagement: Pick<ServiceClient, 'call'>
  tags: CredentialTags
  page: (request: Request) => Asset
  endedPage: (request: Request) => Asset
  notFound: (request: Request) => Promise<PlainResponse>
}): LocalRoute => ({
  path: '/s/:token',
  limit: 'pages',
  respond: async (request) => {
    const token = TOKEN.exec(new URL(request.url).pathname)?.[1]
    const isOurs = token !== undefined && tags.isTagged('family link', token)
    const state = isOurs ? await stateOf(engagement, token) : 'unknown'
    if (state === 'unknown') return notFound(request)
    if (state === 'open') return page(request).respond(request.headers)
    const { status, headers, body } = await endedPage(request).respond(request.headers)
    return { status: status === 304 ? 304 : 410, headers, body }
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
