import type { Content } from './contents.ts'
import { type EventOptions, type Mentionee, newEvent, sourceOf, type WebhookEvent } from './events.ts'
import { isUserId, newMessageId, newQuoteToken, newToken } from './ids.ts'
import type { Platform } from './platform.ts'

type TextOptions = EventOptions & { mentionees?: Mentionee[]; quotedMessageId?: string }
export type PlaceSent = { lat: number; lng: number; title?: string; address?: string }
export type Composer = ReturnType<typeof compose>

/** Events that LINE sends without a reply token. */
const WITHOUT_REPLY = ['unfollow', 'leave', 'unsend', 'memberLeft']

/** The events of one chat (a user, group or room; in a group `speaker` speaks). */
export function compose(platform: Platform, chatId: string, speaker?: string) {
  const event = (
    type: string,
    body: Record<string, unknown> = {},
    options: EventOptions = {},
  ): WebhookEvent => {
    const { mode = 'active', timestampMs: atMs = platform.clock.now(), withoutSource = false } = options
    const answerable = mode === 'active' && !withoutSource && !WITHOUT_REPLY.includes(type)
    const made = newEvent(type, body, {
      source: withoutSource ? undefined : sourceOf(chatId, speaker),
      replyToken: answerable ? platform.replyTokens.issue(chatId) : undefined,
      mode,
      atMs,
    })
    platform.say(chatId, { from: 'user', event: made, atMs, shownAs: options.shownAs })
    return made
  }
  const message = (type: string, body: Record<string, unknown>, options?: EventOptions & { id?: string }) => {
    const tokens = { quoteToken: newQuoteToken(), markAsReadToken: newToken() }
    return event(
      'message',
      { message: { id: options?.id ?? newMessageId(), type, ...tokens, ...body } },
      options,
    )
  }
  const stored = (type: string, content: Content, body: object, options?: EventOptions) => {
    const id = newMessageId()
    platform.contents.put(id, content)
    return message(type, { contentProvider: { type: 'line' }, ...body }, { ...options, id })
  }
  const relate = (relation: 'friend' | 'blocked') => {
    if (isUserId(chatId)) platform.people.get(chatId).relation = relation
  }
  return {
    /** Adds the bot, or takes the block away. */
    follow: (options?: EventOptions) => {
      const isUnblocked = platform.people.find(chatId)?.relation === 'blocked'
      relate('friend')
      return event('follow', { follow: { isUnblocked } }, options)
    },
    /** Blocks the bot. */
    unfollow: (options?: EventOptions) => {
      relate('blocked')
      return event('unfollow', {}, options)
    },
    text: (text: string, { mentionees, quotedMessageId, ...options }: TextOptions = {}) =>
      message(
        'text',
        {
          text,
          ...(mentionees ? { mention: { mentionees } } : {}),
          ...(quotedMessageId === undefined ? {} : { quotedMessageId }),
        },
        options,
      ),
    image: (content: Content, options?: EventOptions) => stored('image', content, {}, options),
    video: (content: Content, options?: EventOptions) =>
      stored('video', content, { duration: 5_000 }, options),
    audio: (content: Content, options?: EventOptions) =>
      stored('audio', content, { duration: 5_000 }, options),
    file: (content: Content & { fileName: string }, options?: EventOptions) =>
      stored('file', content, { fileName: content.fileName, fileSize: content.bytes.length }, options),
    /** A picture outside of LINE, of which only the address is sent. */
    externalImage: (url: string, options?: EventOptions) =>
      message(
        'image',
        { contentProvider: { type: 'external', originalContentUrl: url, previewImageUrl: url } },
        options,
      ),
    location: ({ lat, lng, title, address }: PlaceSent, options?: EventOptions) =>
      message(
        'location',
        {
          ...(title === undefined ? {} : { title }),
          ...(address === undefined ? {} : { address }),
          latitude: lat,
          longitude: lng,
        },
        options,
      ),
    sticker: (options?: EventOptions) =>
      message(
        'sticker',
        { packageId: '11537', stickerId: '52002738', stickerResourceType: 'ANIMATION' },
        options,
      ),
    postback: (data: string, params?: Record<string, string>, options?: EventOptions) =>
      event('postback', { postback: { data, ...(params ? { params } : {}) } }, options),
    /** The user takes a message back; its content is gone from then on. */
    unsend: (messageId: string, options?: EventOptions) => {
      platform.contents.withdraw(messageId)
      return event('unsend', { unsend: { messageId } }, options)
    },
    accountLink: (result: 'ok' | 'failed', options?: EventOptions) =>
      event('accountLink', { link: { result, nonce: newToken() } }, options),
    beacon: (options?: EventOptions) =>
      event('beacon', { beacon: { hwid: 'd41d8cd98f', type: 'enter' } }, options),
    join: (options?: EventOptions) => event('join', {}, options),
    leave: (options?: EventOptions) => event('leave', {}, options),
    memberJoined: (userIds: string[], options?: EventOptions) =>
      event('memberJoined', { joined: { members: userIds.map((id) => sourceOf(id)) } }, options),
    /** A message, or an event, of an unknown type. */
    unknownMessage: (options?: EventOptions) => message('hologram', { hologram: { x: 1 } }, options),
    unknown: (options?: EventOptions) => event('greatNewEvent', { greatNewField: { a: [1, 2] } }, options),
    /** Any other event. */
    event,
  }
}
