import type { messagingApi } from '@line/bot-sdk'
import type { Language } from '@palanquin/domain/language'
import type { Inbound } from '../inbox/inbound.ts'
import type { CardAddress } from '../service-clients/card-address.ts'
import type { Engagement } from '../service-clients/engagement.ts'
import type { UserStore } from '../users/store.ts'
import { cardMessages, eraseQuestion, linkMessage, plain } from './messages/plain.ts'
import { quickReplies, withQuickReplies } from './messages/quick-replies.ts'
import { statisticsMessage } from './messages/statistics.ts'
import { TEXTS } from './texts/texts.ts'
import { type Command, type CommandRequest, type LinkCommand, PAGE_OF } from './vocabulary/command.ts'
import { type WhereOptions, whereMessage } from './where.ts'

export type AnswerOptions = WhereOptions & {
  users: Pick<UserStore, 'notify'>
  engagement: Engagement
  cardAddress: CardAddress
  /** Shows a user the menu of their language. Never throws. */
  showMenu: (userId: string, language: Language) => Promise<void>
}

export type Recipient = { userId: string; language: Language; event: Inbound }

/** Carries out a command and returns the reply. @throws StoreUnavailable */
export async function answerTo(
  { command, language: wanted }: CommandRequest,
  context: AnswerOptions,
  whom: Recipient,
): Promise<messagingApi.Message[]> {
  if (wanted) return chooseLanguage(wanted, context, whom)
  return ANSWERS[command](context, whom)
}

/** Stores the language and replies in it. */
export async function chooseLanguage(
  language: Language,
  { engagement, showMenu }: AnswerOptions,
  { userId, event }: Recipient,
): Promise<messagingApi.Message[]> {
  await engagement.sync({ userId, language }, event)
  await showMenu(userId, language)
  const texts = TEXTS[language]
  return withQuickReplies([plain(texts.languageChosen)], quickReplies.all(texts, language))
}

type Answer = (
  context: AnswerOptions,
  whom: Recipient,
) => messagingApi.Message[] | Promise<messagingApi.Message[]>

const linkTo =
  (name: LinkCommand): Answer =>
  ({ links }, { language }) => {
    const texts = TEXTS[language]
    const uri = links.page(PAGE_OF[name])
    const message = uri === null ? plain(texts.links[name].missing) : linkMessage(texts.links[name], uri)
    return withQuickReplies([message], quickReplies.next(texts))
  }

/** A link that sets up an app at once; where there is none, the page on which one is made. */
const phoneLink: Answer = async (context, whom) => {
  const { userId, language, event } = whom
  const code = await context.engagement.setupCode(userId, event)
  const uri = code === null ? null : context.links.setup(code, language)
  if (uri === null) return linkTo('phones')(context, whom)
  const texts = TEXTS[language]
  const { title, open } = texts.links.phones
  // Not in the preview: everybody who has the address can set an app up.
  return withQuickReplies(
    [linkMessage({ title, text: texts.phoneLink, open }, uri, title)],
    quickReplies.next(texts),
  )
}

const ANSWERS: Readonly<Record<Command, Answer>> = {
  checkin: (_, { language }) =>
    withQuickReplies([plain(TEXTS[language].checkinHow)], quickReplies.location(TEXTS[language])),
  mileage: async ({ engagement, links }, { userId, language, event }) => {
    const texts = TEXTS[language]
    const profile = await engagement.profile(userId, event.id)
    const message = profile
      ? statisticsMessage(texts, language, profile, links.page('me'))
      : plain(texts.checkinHow)
    return withQuickReplies([message], quickReplies.next(texts))
  },
  card: async ({ cardAddress }, { userId, language, event }) => {
    const texts = TEXTS[language]
    const url = await cardAddress(userId, { version: String(event.atMs), requestId: event.id })
    const messages = url === null ? [plain(texts.noCard)] : cardMessages(texts, url)
    return withQuickReplies(messages, quickReplies.next(texts))
  },
  where: async (context, { language, event }) =>
    withQuickReplies(
      [await whereMessage(context, { language, eventId: event.id })],
      quickReplies.next(TEXTS[language]),
    ),
  map: linkTo('map'),
  walk: linkTo('walk'),
  family: linkTo('family'),
  phones: phoneLink,
  lost: linkTo('lost'),
  survey: linkTo('survey'),
  feedback: linkTo('feedback'),
  help: (_, { language }) =>
    withQuickReplies([plain(TEXTS[language].help)], quickReplies.all(TEXTS[language], language)),
  language: (_, { language }) =>
    withQuickReplies([plain(TEXTS[language].whichLanguage)], quickReplies.languages()),
  stop: async ({ users }, { userId, language, event }) => {
    await users.notify(userId, false, event.atMs)
    return withQuickReplies([plain(TEXTS[language].stopped)], quickReplies.resume(TEXTS[language]))
  },
  resume: async ({ users }, { userId, language, event }) => {
    await users.notify(userId, true, event.atMs)
    return withQuickReplies([plain(TEXTS[language].resumed)], quickReplies.next(TEXTS[language]))
  },
  erase: (_, { language, event }) => [eraseQuestion(TEXTS[language], event.atMs)],
}
