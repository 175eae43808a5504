import type { messagingApi } from '@line/bot-sdk'
import { UserId } from '@palanquin/domain/ids'
import { OptionalField } from '@palanquin/domain/optional'
import { ITEMS_MAX } from '@palanquin/domain/payload/shape'
import { INSTANT_EXPECTED, InstantInput, parseInstant, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { type SchemaProblem, sentenceOf } from '@palanquin/service/http/sentence'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { MESSAGES_MAX, TEXT_UNITS_MAX } from '../line-client/limits.ts'
import type { Audience } from './audience.ts'

/** Contract section 1: no list in a body is longer. */
const USER_IDS_MAX = ITEMS_MAX
const AHEAD_MS_MAX = 366 * 24 * 3_600_000

const Url = Type.String({ pattern: '^https://' })
const text = { text: Type.String({ minLength: 1 }) }
const media = { originalContentUrl: Url, previewImageUrl: Url }
const altText = Type.String({ minLength: 1 })
/** What no message of a kind can lack; the rest LINE judges (`validate` of its client). Imagemaps and coupons are not sent. */
const REQUIRED = {
  text,
  textV2: text,
  sticker: { packageId: Type.String(), stickerId: Type.String() },
  image: media,
  video: media,
  audio: { originalContentUrl: Url, duration: Type.Number({ minimum: 1 }) },
  location: {
    title: Type.String({ minLength: 1 }),
    address: Type.String({ minLength: 1 }),
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
  },
  template: { altText, template: Type.Object({ type: Type.String() }) },
  flex: { altText, contents: Type.Object({ type: Type.Enum(['bubble', 'carousel']) }) },
}
const KINDS = Object.keys(REQUIRED)
const checks = new Map(
  Object.entries(REQUIRED).map(([kind, fields]) => {
    const schema = Type.Object(fields)
    return [kind, { schema, validator: Compile(schema) }]
  }),
)

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
  if (!hasText && !hasMessages) return invalid('text: expected a text, or a list of messages in its place')
  const content: readonly messagingApi.Message[] = hasText ? [{ type: 'text', text }] : (messages ?? [])
  for (const [at, message] of content.entries()) {
    const fault = faultOf(message)
    if (fault !== null) return invalid(hasText ? fault : `messages[${at}].${fault}`)
  }
  return content
}

/** What a message lacks; null where LINE may take it. */
function faultOf(message: messagingApi.Message): string | null {
  const check = checks.get(message.type)
  const problems = check?.validator.Errors(message) ?? []
  if (check && problems.length > 0) return sentenceOf(check.schema, problems as readonly SchemaProblem[])
  return 'text' in message && message.text.length > TEXT_UNITS_MAX
    ? `text: expected a text of 1 to ${TEXT_UNITS_MAX} UTF-16 units`
    : null
}

function readTime(input: PushBody['scheduledAt'], nowMs: number): string | null | ApiError {
  if (input === undefined || input === null) return null
  const atMs = parseInstant(input)
  if (atMs === null) return invalid(`scheduledAt: expected ${INSTANT_EXPECTED}`)
  if (atMs > nowMs + AHEAD_MS_MAX) return invalid('scheduledAt: expected a time within the next year')
  return atMs <= nowMs ? null : toIso(atMs)
}
