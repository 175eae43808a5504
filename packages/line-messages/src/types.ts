import type { messagingApi } from '@line/bot-sdk'

/** LINE's own types, by the names that this project gives them; they cost nothing at run time. */
export type LineMessage = messagingApi.Message
export type LineAction = messagingApi.Action
export type FlexBox = messagingApi.FlexBox
export type FlexComponent = messagingApi.FlexComponent
export type RichMenu = messagingApi.RichMenuRequest

/** What can be validated, by the name that LINE gives it; `Messages` is the list in a request. */
export type Validated = {
  Messages: LineMessage[]
  Action: LineAction
  ReplyMessageRequest: messagingApi.ReplyMessageRequest
  PushMessageRequest: messagingApi.PushMessageRequest
  MulticastRequest: messagingApi.MulticastRequest
  NarrowcastRequest: messagingApi.NarrowcastRequest
  BroadcastRequest: messagingApi.BroadcastRequest
  ValidateMessageRequest: messagingApi.ValidateMessageRequest
  ShowLoadingAnimationRequest: messagingApi.ShowLoadingAnimationRequest
  MarkMessagesAsReadByTokenRequest: messagingApi.MarkMessagesAsReadByTokenRequest
  RichMenuRequest: RichMenu
}
