import type { messagingApi } from '@line/bot-sdk'
import { UserId } from '@palanquin/domain/ids'
import { OptionalField } from '@palanquin/domain/optional'
import { ITEMS_MAX } from '@palanquin/domain/payload/shape'
import { INSTANT_EXPECTED, InstantInput, parseInstant, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'
import { MESSAGES_MAX, TEXT_UNITS_MAX } from '../line-client/limits.ts'
import type { Audience } from './audience.ts'

/** Contract section 1: no list in a body is longer. */
const USER_IDS_MAX = ITEMS_MAX
const AHEAD_MS_MAX = 366 * 24 * 3_600_000
/** Imagemaps and coupons are not sent. */
const KINDS = ['text', 'textV2', 'sticker', 'image', 'video', 'audio', 'location', 'template', 'flex']

/** A message as far as it is judged here; the rest LINE judges (`validate` of its client). */
const Message = Type.Unsafe<messagingApi.Message>(
  Type.Object({ type: Type.Enum(KINDS, { description: KINDS.join(', ') }) }),
)

const Named = Type.Object({
  userIds: Type.Array(UserId, {
    minItems: 1,
    maxItems: USER_IDS_MAX,
    description: `1 to ${USER_IDS_MAX} ids`,
  }),
})

export const PushBody = Type.Object({
  to: Type.Union([Type.Enum(['all', 'volunteers', 'managers', 'owners']), Named], {
    description: `all, volunteers, managers, owners or {"userIds": [1 to ${USER_IDS_MAX} ids]}`,
  }),
  text: OptionalField(
    Type.String({ minLength: 1, maxLength: TEXT_UNITS_MAX }),
    `a text of 1 to ${TEXT_UNITS_MAX} characters`,
  ),
  messages: OptionalField(
    Type.Array(Message, { minItems: 1, maxItems: MESSAGES_MAX }),
    `a list of 1 to ${MESSAGES_MAX} LINE messages, each with a type out of ${KINDS.join(', ')}`,
  ),
  scheduledAt: OptionalField(InstantInput, INSTANT_EXPECTED),
})
export type PushBody = Static<typeof PushBody>

export type PushRequest = {
  audience: Audience
  messages: readonly messagingApi.Message[]
  scheduledAt: string | null
}

const invalid = (sentence: string) => new ApiError('invalid', sentence)

/** The validated request of an organiser; a time that has passed means now. */
export function readRequest(input: PushBody, nowMs: number): PushRequest | ApiError {
  const messages = readContent(input)
  if (messages instanceof ApiError) return messages
  const scheduledAt = readTime(input.scheduledAt, nowMs)
  if (scheduledAt instanceof ApiError) return scheduledAt
  const { to } = input
  const audience: Audience =
    typeof to === 'string' ? { to } : { to: 'users', userIds: [...new Set(to.userIds)] }
  return { audience, messages, scheduledAt }
}

function readContent({ text, messages }: PushBody): readonly messagingApi.Message[] | ApiError {
  const hasText = text !== undefined && text !== null
  const hasMessages = messages !== undefined && messages !== null
  if (hasText && hasMessages) return invalid('text: expected either text or messages, not both')
  if (hasText) return [{ type: 'text', text }]
  return hasMessages ? messages : invalid('text: expected a text, or a list of messages in its place')
}

function readTime(input: PushBody['scheduledAt'], nowMs: number): string | null | ApiError {
  if (input === undefined || input === null) return null
  const atMs = parseInstant(input)
  if (atMs === null) return invalid(`scheduledAt: expected ${INSTANT_EXPECTED}`)
  if (atMs > nowMs + AHEAD_MS_MAX) return invalid('scheduledAt: expected a time within the next year')
  return atMs <= nowMs ? null : toIso(atMs)
}
