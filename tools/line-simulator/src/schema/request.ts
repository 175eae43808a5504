import Type from 'typebox'
import { Messages } from './message.ts'
import { text } from './values.ts'

export const MULTICAST_RECIPIENTS_MAX = 500

/** Aggregation units are a paid extra: the format is judged, nothing is done with them. */
const unit = Type.String({ pattern: '^[a-zA-Z0-9_]{1,30}$' })
const envelope = { messages: Messages, notificationDisabled: Type.Optional(Type.Boolean()) }
const units = { customAggregationUnits: Type.Optional(Type.Array(unit, { maxItems: 1 })) }
const Anything = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

export const ReplyRequest = Type.Object({ replyToken: text(1000), ...envelope })
export const PushRequest = Type.Object({ to: text(100), ...envelope, ...units })
export const MulticastRequest = Type.Object({
  to: Type.Array(text(100), { minItems: 1, maxItems: MULTICAST_RECIPIENTS_MAX }),
  ...envelope,
  ...units,
})
export const BroadcastRequest = Type.Object(envelope)
/** Audiences and demographics are LINE's own knowledge: a narrowcast goes to everybody here. */
export const NarrowcastRequest = Type.Object({
  ...envelope,
  recipient: Type.Optional(Anything),
  filter: Type.Optional(Anything),
  limit: Type.Optional(
    Type.Object({
      max: Type.Optional(Type.Integer({ minimum: 1 })),
      upToRemainingQuota: Type.Optional(Type.Boolean()),
      forbidPartialDelivery: Type.Optional(Type.Boolean()),
    }),
  ),
})
export const ValidateRequest = Type.Object({ messages: Messages })

export const LoadingRequest = Type.Object({
  chatId: Type.String({
    minLength: 1,
    pattern: '^U[0-9a-f]{32}$',
    apiError: 'Only user id is acceptable, please confirm if there are any group/room ids or illegal ids.',
  }),
  loadingSeconds: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 60,
      rule: (seconds: number) => (seconds % 5 === 0 ? undefined : 'must be a multiple of five'),
    }),
  ),
})
export const MarkAsReadRequest = Type.Object({ markAsReadToken: text(1000) })
