import { isChatId, isUserId } from '../ids.ts'
import { type Answer, apiError, type Call, notFound, ok } from './answer.ts'
import { accept } from './messages.ts'
import { readBody } from './read.ts'

const invalid = (property: string) =>
  apiError(400, `The property, ${property}, in the request body is invalid (line: -, column: -)`)

/** `POST /v2/bot/message/reply`: once per token, within its minute, free of charge. */
export function reply(call: Call): Answer {
  const { platform, headers } = call
  if (headers.has('x-line-retry-key')) return apiError(400, 'The retry key is not supported by this API')
  const body = readBody('ReplyMessageRequest', call)
  if ('refused' in body) return body.refused
  const { replyToken, messages } = body.value
  const chatId = platform.replyTokens.chatOf(replyToken)
  if (chatId === undefined) return apiError(400, 'Invalid reply token')
  platform.replyTokens.use(replyToken)
  return accept(call, { by: 'reply', messages, to: [chatId], returnsIds: true, counted: false, status: 200 })
}

/** `POST /v2/bot/message/push`: 400 for an unknown user, 200 for one who blocked the bot. */
export function push(call: Call): Answer {
  const body = readBody('PushMessageRequest', call)
  if ('refused' in body) return body.refused
  const { to, messages } = body.value
  const { people } = call.platform
  if (!isChatId(to)) return invalid('to')
  if (!(people.find(to) ?? people.group(to))) return apiError(400, 'Failed to send messages')
  return accept(call, { by: 'push', messages, to: [to], returnsIds: true, counted: true, status: 200 })
}

/** `POST /v2/bot/message/multicast`: one malformed id fails all. */
export function multicast(call: Call): Answer {
  const body = readBody('MulticastRequest', call)
  if ('refused' in body) return body.refused
  const { to, messages } = body.value
  const malformed = to.findIndex((id) => !isUserId(id))
  if (malformed >= 0) return invalid(`to[${malformed}]`)
  return accept(call, { by: 'multicast', messages, to, returnsIds: false, counted: true, status: 200 })
}

const friendsOf = ({ platform }: Call) => platform.people.friends().map(({ userId }) => userId)

/** `POST /v2/bot/message/broadcast`: to every friend. */
export function broadcast(call: Call): Answer {
  const body = readBody('BroadcastRequest', call)
  if ('refused' in body) return body.refused
  const { messages } = body.value
  return accept(call, {
    by: 'broadcast',
    messages,
    to: friendsOf(call),
    returnsIds: false,
    counted: true,
    status: 200,
  })
}

/** `POST /v2/bot/message/narrowcast`: accepted; here every friend is in the audience. */
export function narrowcast(call: Call): Answer {
  const body = readBody('NarrowcastRequest', call)
  if ('refused' in body) return body.refused
  const { messages, limit } = body.value
  const to = friendsOf(call).slice(0, limit?.max)
  return accept(call, { by: 'narrowcast', messages, to, returnsIds: false, counted: true, status: 202 })
}

/** `GET /v2/bot/message/progress/narrowcast`: it was sent at once. */
export function narrowcastProgress({ platform, query }: Call): Answer {
  const sent = platform.deliveries.all().filter(({ requestId }) => requestId === query.get('requestId'))
  const [first] = sent
  if (!first) return notFound()
  const atTime = new Date(first.atMs).toISOString()
  const counts = { successCount: sent.length, failureCount: 0, targetCount: sent.length }
  return ok({ phase: 'succeeded', ...counts, acceptedTime: atTime, completedTime: atTime })
}

/** `POST /v2/bot/message/validate/*`: validates messages and sends nothing. */
export function validate(call: Call): Answer {
  const body = readBody('ValidateMessageRequest', call)
  return 'refused' in body ? body.refused : ok()
}

/** `POST /v2/bot/chat/loading/start`: the three dots that say an answer is coming. */
export function loading(call: Call): Answer {
  const body = readBody('ShowLoadingAnimationRequest', call)
  return 'refused' in body ? body.refused : ok({}, 202)
}

/** `POST /v2/bot/chat/markAsRead`. */
export function markAsRead(call: Call): Answer {
  const body = readBody('MarkMessagesAsReadByTokenRequest', call)
  return 'refused' in body ? body.refused : ok()
}
