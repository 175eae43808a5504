import { isUserId } from '@palanquin/domain/ids'
import { isRecord } from '@palanquin/domain/is-record'
import { commandOf } from '../conversation/vocabulary/recognise.ts'
import { DATA_UNITS_MAX, type Inbound, TEXT_UNITS_MAX, type What } from '../inbox/inbound.ts'

// Tolerant reading of foreign JSON: a value of another type counts as absent.
const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
const textOf = (value: unknown): string => (typeof value === 'string' ? value.toWellFormed() : '')
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** A command after a slash, as in `/地圖`, addresses a bot; this one, when it knows the word. */
const PREFIX = /^\s*[/／]\s*/

/** The text that addresses the bot in a group, without its mention or slash; null for none. */
function addressedText(text: string, mention: unknown): string | null {
  const places = ownPlaces(mention)
  if (places.length > 0) {
    let rest = text
    // From the end, so that the places before stay where they are.
    for (const { index, length } of places.toSorted((a, b) => b.index - a.index))
      rest = rest.slice(0, index) + rest.slice(index + length)
    return rest.trim()
  }
  if (!PREFIX.test(text)) return null
  const rest = text.replace(PREFIX, '')
  return commandOf(rest) === null ? null : rest
}

function ownPlaces(mention: unknown): { index: number; length: number }[] {
  const { mentionees } = recordOf(mention)
  if (!Array.isArray(mentionees)) return []
  return mentionees.flatMap((mentionee: unknown) => {
    if (!isRecord(mentionee) || mentionee.isSelf !== true) return []
    const [index, length] = [numberOf(mentionee.index), numberOf(mentionee.length)]
    return index === null || length === null ? [] : [{ index, length }]
  })
}

const EVENT_ID = /^[A-Za-z0-9_-]{1,64}$/
const MESSAGE_ID = /^[A-Za-z0-9_-]{1,64}$/
const REPLY_TOKEN_UNITS_MAX = 256
/** The last moment that a Date knows (ECMA-262, "Time Values"). */
const TIME_MS_MAX = 8.64e15

/** What the bot acts on in an event; null for nothing. Tolerant: LINE adds types and fields at any time. */
export function readEvent(event: unknown, nowMs: number): Inbound | null {
  if (!isRecord(event) || event.mode === 'standby') return null
  const { webhookEventId: id, replyToken } = event
  if (typeof id !== 'string' || !EVENT_ID.test(id)) return null
  const timestamp = numberOf(event.timestamp) ?? -1
  const atMs = timestamp < 0 || timestamp > TIME_MS_MAX ? nowMs : Math.trunc(timestamp)
  const source = recordOf(event.source)
  const inGroup = source.type === 'group' || source.type === 'room'
  const userId = isUserId(source.userId) ? source.userId : null
  if (!inGroup && (source.type !== 'user' || userId === null)) return null
  const what = inGroup ? whatInGroup(event) : whatOf(event)
  if (!what) return null
  const answerable = typeof replyToken === 'string' && replyToken.length <= REPLY_TOKEN_UNITS_MAX
  return { id, atMs, userId, inGroup, replyToken: answerable ? replyToken : null, what }
}

function whatOf(event: Record<string, unknown>): What | null {
  switch (event.type) {
    case 'follow':
      return { type: 'follow' }
    case 'unfollow':
      return { type: 'unfollow' }
    case 'postback': {
      const data = textOf(recordOf(event.postback).data)
      return { type: 'postback', data: data.slice(0, DATA_UNITS_MAX) }
    }
    case 'message':
      return whatWasSent(recordOf(event.message))
    default:
      return null
  }
}

function whatWasSent(message: Record<string, unknown>): What | null {
  switch (message.type) {
    case 'text':
      return { type: 'text', text: textOf(message.text).slice(0, TEXT_UNITS_MAX) }
    case 'location': {
      const [lat, lng] = [numberOf(message.latitude), numberOf(message.longitude)]
      if (lat === null || lng === null) return null
      const place = textOf(message.title) || textOf(message.address)
      return { type: 'location', lat, lng, place: place.slice(0, TEXT_UNITS_MAX) || null }
    }
    case 'image':
      return imageOf(message)
    case 'sticker':
    case 'video':
    case 'audio':
    case 'file':
      return { type: 'other' }
    default:
      return null
  }
}

/** A picture of another app comes as an address alone: it is no photo of the user. */
function imageOf(message: Record<string, unknown>): What | null {
  const messageId = textOf(message.id)
  if (recordOf(message.contentProvider).type === 'external' || !MESSAGE_ID.test(messageId)) return null
  const { index, total } = recordOf(message.imageSet)
  return { type: 'image', messageId, last: index === undefined || index === total }
}

/** In a group only a text that addresses the bot is read. */
function whatInGroup(event: Record<string, unknown>): What | null {
  const message = recordOf(event.message)
  if (event.type !== 'message' || message.type !== 'text') return null
  const text = addressedText(textOf(message.text), message.mention)
  return text === null ? null : { type: 'text', text: text.slice(0, TEXT_UNITS_MAX) }
}
