import type { messagingApi } from '@line/bot-sdk'
import Type from 'typebox'
import type { Audience, Personal } from './audience.ts'

/** Columns of JSON that this module alone writes: their outer form is checked, the rest is what was written. */
export const AudienceColumn = Type.Unsafe<Audience>(Type.Object({ to: Type.String() }))
export const MessagesColumn = Type.Unsafe<messagingApi.Message[]>(
  Type.Array(Type.Object({ type: Type.String() })),
)
export const PersonalColumn = Type.Unsafe<Personal | null>(
  Type.Union([Type.Enum(['final-summary', 'congratulation']), Type.Null()]),
)
