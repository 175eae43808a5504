import type { messagingApi } from '@line/bot-sdk'
import { type Fault, faultsOf, type Resolve } from './faults.ts'
import { messageSchemas } from './grammar.ts'
import type { Schema } from './schema.ts'

/** What can be validated, by the name that LINE gives it; `Messages` is the list in a request. */
export type Validated = {
  Messages: messagingApi.Message[]
  Action: messagingApi.Action
  ReplyMessageRequest: messagingApi.ReplyMessageRequest
  PushMessageRequest: messagingApi.PushMessageRequest
  MulticastRequest: messagingApi.MulticastRequest
  NarrowcastRequest: messagingApi.NarrowcastRequest
  BroadcastRequest: messagingApi.BroadcastRequest
  ValidateMessageRequest: messagingApi.ValidateMessageRequest
  ShowLoadingAnimationRequest: messagingApi.ShowLoadingAnimationRequest
  MarkMessagesAsReadByTokenRequest: messagingApi.MarkMessagesAsReadByTokenRequest
  RichMenuRequest: messagingApi.RichMenuRequest
}
export type Validation<T> = { value: T } | { faults: Fault[] }

const SCHEMA_OF: Partial<Record<keyof Validated, string>> = {
  Messages: '#/$defs/ValidateMessageRequest/properties/messages',
  Action: '#/$defs/Action@flex',
}

let schemas: Schema | undefined

/** Validates as LINE does, as far as its OpenAPI document and its reference say it. */
export function validate<N extends keyof Validated>(name: N, value: unknown): Validation<Validated[N]> {
  const path = name === 'Messages' ? ['messages'] : []
  const faults = faultsOf({ $ref: SCHEMA_OF[name] ?? `#/$defs/${name}` }, { value, path, resolve })
  return fits<Validated[N]>(value, faults) ? { value } : { faults }
}

/** The schemas are those of the types. */
const fits = <T>(value: unknown, faults: readonly Fault[]): value is T =>
  value !== undefined && faults.length === 0

/** @throws Error for a reference that leads nowhere: a mistake in the tables */
const resolve: Resolve = (reference) => {
  schemas ??= { $defs: messageSchemas() }
  const [, set, name = '', properties, property = ''] = reference.split('/')
  const found = set === '$defs' ? schemas.$defs?.[name] : undefined
  const schema = properties === 'properties' ? found?.properties?.[property] : found
  if (!schema) throw new Error(`${reference} leads nowhere`)
  return schema
}
