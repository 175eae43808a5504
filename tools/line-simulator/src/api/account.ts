import { isReached } from '../platform.ts'
import { type Answer, apiError, type Call, notFound, ok } from './answer.ts'

const FOLLOWERS_MAX = 1000
const FOLLOWERS_DEFAULT = 300

/** `GET /v2/bot/profile/{userId}`: 404 for everybody but friends. */
export function profile({ platform, params }: Call): Answer {
  const person = platform.people.find(params.userId ?? '')
  if (!person || !isReached(person)) return notFound()
  const { userId, displayName, language, pictureUrl, statusMessage } = person
  return ok({ userId, displayName, language, pictureUrl, statusMessage })
}

/** `GET /v2/bot/followers/ids`, a page at a time. */
export function followers({ platform, query }: Call): Answer {
  const limit = Number(query.get('limit') ?? FOLLOWERS_DEFAULT)
  const start = Number(query.get('start') ?? 0)
  if (!Number.isInteger(limit) || limit < 1 || limit > FOLLOWERS_MAX || !Number.isInteger(start))
    return apiError(400, 'The value for the limit or start parameter is invalid')
  const all = platform.people.friends().map(({ userId }) => userId)
  const userIds = all.slice(start, start + limit)
  return ok({ userIds, ...(start + limit < all.length ? { next: String(start + limit) } : {}) })
}

/** `GET /v2/bot/info`. */
export const info = ({ platform }: Call): Answer =>
  ok({
    userId: platform.channel.botUserId,
    basicId: '@000stub',
    displayName: 'Palanquin (stub)',
    chatMode: 'bot',
    markAsReadMode: 'auto',
  })

/** `GET /v2/bot/message/quota`. */
export const quota = ({ platform }: Call): Answer =>
  ok(platform.quota.limit === null ? { type: 'none' } : { type: 'limited', value: platform.quota.limit })

/** `GET /v2/bot/message/quota/consumption`. */
export const consumption = ({ platform }: Call): Answer => ok({ totalUsage: platform.quota.consumed() })

/** `GET /v2/bot/message/{messageId}/content` and its preview. */
export function content({ platform, params }: Call): Answer {
  const found = platform.contents.find(params.messageId ?? '')
  if (found === undefined) return notFound('not found')
  if (found === 'gone') return apiError(410, 'The content is gone')
  return found === 'preparing'
    ? { status: 202, body: {} }
    : { status: 200, body: found.bytes, contentType: found.contentType }
}

/** `GET /v2/bot/message/{messageId}/content/transcoding`. */
export function transcoding({ platform, params }: Call): Answer {
  const found = platform.contents.find(params.messageId ?? '')
  if (found === undefined) return notFound('not found')
  if (found === 'gone') return apiError(410, 'The content is gone')
  return ok({ status: found === 'preparing' ? 'processing' : 'succeeded' })
}
