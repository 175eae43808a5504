import type { messagingApi } from '@line/bot-sdk'
import { DEFAULT_LANGUAGE, type Language, type Localized } from '@palanquin/domain/language'
import type { Handle } from '@palanquin/events/ordered/dispatcher'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { isErasure } from '../inbox/erase.ts'
import type { Inbound, What } from '../inbox/inbound.ts'
import type { LineClient } from '../line-client/client.ts'
import type { BeaconClient } from '../service-clients/beacons.ts'
import type { CardAddress } from '../service-clients/card-address.ts'
import type { Engagement } from '../service-clients/engagement.ts'
import type { Media } from '../service-clients/media.ts'
import type { Tracking } from '../service-clients/tracking.ts'
import type { User, UserStore } from '../users/store.ts'
import { answerTo, type Recipient } from './answers.ts'
import { answerToButton } from './buttons.ts'
import { ensureParticipant } from './ensure-participant.ts'
import { answerInGroup } from './in-group.ts'
import { languageOf } from './language.ts'
import type { Links } from './links.ts'
import { photoTaker, takeLocation } from './location-and-photo.ts'
import { plain } from './messages/plain.ts'
import { quickReplies, withQuickReplies } from './messages/quick-replies.ts'
import { replier } from './reply.ts'
import { TEXTS } from './texts/texts.ts'
import { commandOf } from './vocabulary/recognise.ts'

/** A name in a welcome; longer ones are nicknames with decorations. */
const NAME_UNITS_MAX = 40

export type ConversationOptions = {
  client: LineClient
  users: UserStore
  engagement: Engagement
  tracking: Tracking
  beacons: BeaconClient
  media: Media
  links: Links
  cardAddress: CardAddress
  /** The event's name in each language. */
  eventName: Localized<string>
  /** The event's time zone. */
  timezone: string
  /** Whether a user may be sent help now: not every sentence of a chat wants a reply. */
  mayHelp: (userId: string) => Promise<boolean>
  showMenu: (userId: string, language: Language) => Promise<void>
  log: Log
  now: () => number
}

/** What must be done even if late; anything else is only of use while the user waits. */
const DURABLE: ReadonlySet<What['type']> = new Set(['follow', 'unfollow', 'location', 'image'])

/** The handler of the inbox: acts on one event, and replies to it. */
export function createEventHandler(context: ConversationOptions): Handle<Inbound> {
  const { client, users, eventName, log, now } = context
  const reply = replier({ client, log, now })
  const takePhoto = photoTaker(context)

  const say = (event: Inbound, entryId: string) => (messages: readonly messagingApi.Message[]) =>
    reply({ replyToken: event.replyToken, entryId }, messages)

  const meet = async (userId: string, event: Inbound): Promise<User | null> => {
    // A user who is about to be erased is not registered first.
    if (isErasure(event.what)) return users.find(userId)
    try {
      return await ensureParticipant(context, { userId, event })
    } catch (error) {
      // A check-in and a photo need no name; the profile can be read at the next event.
      if (
        error instanceof StoreUnavailable &&
        (event.what.type === 'location' || event.what.type === 'image')
      )
        return null
      throw error
    }
  }
  const answers = async (event: Inbound, whom: Recipient, user: User | null, entryId: string) => {
    const { what } = event
    const { userId, language } = whom
    const texts = TEXTS[language]
    switch (what.type) {
      case 'follow':
        return welcome(user?.displayName ?? null, language, eventName[language])
      case 'location': {
        const messages = await takeLocation(context, { what, event, entryId, userId, user, texts })
        return withQuickReplies(messages, quickReplies.next(texts))
      }
      case 'image': {
        const messages = await takePhoto(what, { userId, event, texts })
        return withQuickReplies(messages, quickReplies.next(texts))
      }
      case 'postback':
        return answerToButton(what.data, context, { ...whom, reply: say(event, entryId) })
      case 'text': {
        const asked = commandOf(what.text)
        return asked ? answerTo(asked, context, whom) : puzzled(whom)
      }
      default:
        return puzzled(whom)
    }
  }
  const puzzled = async ({ userId, language }: Recipient): Promise<messagingApi.Message[]> => {
    if (!(await context.mayHelp(userId))) return []
    return withQuickReplies([plain(TEXTS[language].puzzled)], quickReplies.all(TEXTS[language], language))
  }
  const inGroup = async (event: Inbound, entryId: string): Promise<void> => {
    if (event.what.type !== 'text') return
    const language = event.userId === null ? DEFAULT_LANGUAGE : languageOf(await users.find(event.userId))
    const messages = await answerInGroup(event.what.text, context, { language, eventId: event.id })
    await say(event, entryId)(messages)
  }

  return async (event, { entryId }) => {
    if (event.inGroup) return inGroup(event, entryId)
    const { userId, what } = event
    if (userId === null) return
    if (what.type === 'unfollow') return void (await users.relate(userId, false, event.atMs))
    let language: Language | null = null
    try {
      // A follow that an unfollow has overtaken changes nothing, and is not answered.
      if (what.type === 'follow' && !(await users.relate(userId, true, event.atMs))) return
      const user = await meet(userId, event)
      language = user ? languageOf(user) : DEFAULT_LANGUAGE
      const messages = await answers(event, { userId, language, event }, user, entryId)
      await say(event, entryId)(messages)
      if (what.type === 'follow' && language !== DEFAULT_LANGUAGE) await context.showMenu(userId, language)
    } catch (error) {
      const lasting = DURABLE.has(what.type) || isErasure(what)
      if (!(error instanceof StoreUnavailable) || lasting) throw error
      const facts = { eventId: event.id, reason: String(error.cause) }
      log.debug({ event: 'reply.postponed', ...facts }, 'A store is away; the user is asked to wait')
      await say(event, entryId)(sorry(language))
    }
  }
}

function welcome(name: string | null, language: Language, event: string): messagingApi.Message[] {
  const texts = TEXTS[language]
  const who = name?.slice(0, NAME_UNITS_MAX).toWellFormed() ?? texts.unnamed
  return withQuickReplies([plain(texts.welcome(who, event))], quickReplies.all(texts, language))
}

/** In both languages where the user's is unknown. */
const sorry = (language: Language | null): messagingApi.Message[] => [
  plain(language ? TEXTS[language].away : `${TEXTS['zh-TW'].away}\n\n${TEXTS.en.away}`),
]
