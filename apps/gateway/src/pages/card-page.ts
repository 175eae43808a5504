import { cardInWords, SharedCard } from '@palanquin/domain/card-in-words'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ServiceClient } from '@palanquin/service/service-client'
import type { LocalRoute } from '../local-route.ts'
import type { PlainResponse } from '../response.ts'
import type { FilledPage } from './filled-page.ts'

const DEADLINE_MS = 2_000
const SHARE_ID = /^\/c\/([A-Za-z0-9_-]{1,64})$/

const noPicture = new ApiError('notFound', 'There is nothing at this path.')

/**
 * `/c/<shareId>`: a share card with the tags by which chats and networks preview it. While the figures cannot be read it is
 * the page around the picture alone.
 */
export const cardPage = ({
  media,
  page,
  notFound,
  baseUrl,
}: {
  media: Pick<ServiceClient, 'call'>
  page: FilledPage
  notFound: (request: Request) => Promise<PlainResponse>
  baseUrl: () => string
}): LocalRoute => ({
  path: '/c/:shareId',
  limit: 'pages',
  respond: async (request) => {
    const { pathname } = new URL(request.url)
    // A picture of no valid name.
    if (pathname.endsWith('.png')) return noPicture
    const shareId = SHARE_ID.exec(pathname)?.[1]
    const card = shareId === undefined ? null : await readCard(media, shareId)
    if (card === null || shareId === undefined) return notFound(request)
    return page(request, (language) => {
      const { title, description } = cardInWords(card, language)
      return {
        '%CARD_TITLE%': title,
        '%CARD_DESCRIPTION%': description,
        '%CARD_PATH%': `/c/${shareId}`,
        '%CARD_URL%': `${baseUrl()}/c/${shareId}`,
      }
    })
  },
})

/** Null for an address that is unknown. */
async function readCard(media: Pick<ServiceClient, 'call'>, shareId: string): Promise<SharedCard | null> {
  try {
    const path = `/internal/card-shares/${shareId}` as const
    const reply = await media.call({ path, deadlineMs: DEADLINE_MS, reply: SharedCard })
    return reply.ok ? reply.data : null
  } catch (error) {
    if (error instanceof StoreUnavailable) return { name: null, km: null, checkins: null, level: 0 }
    throw error
  }
}
