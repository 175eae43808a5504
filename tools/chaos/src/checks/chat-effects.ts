import type { LineStub } from '@palanquin/line-simulator/stub'
import type { Sql } from 'postgres'
import type { Chat } from '../load/chat.ts'
import type { Sent } from '../load/pushes.ts'

/** Texts of the bot that a participant must get once (line-bot, `push/wording`). */
const CONGRATULATION = '恭喜解鎖成就卡'
const OWN_SUMMARY = '恭喜圓滿'
const GENERAL_SUMMARY = '圓滿結束'
/** Streams of chat events: dead letters and the inbox. */
const DEAD = '{line}:dead'
export const INBOX = '{line}:inbox'

export type ChatState = { line: LineStub; chat: Chat; pushes: readonly Sent[] }

/** What is wrong with the chat once the activity has ended; empty when everyone got everything once. */
export async function chatFaults(sql: Sql, redis: Bun.RedisClient, chatState: ChatState): Promise<string[]> {
  const { line } = chatState
  const repeated = line.control.deliveries
    .all()
    .filter(({ by }) => by !== 'reply')
    .map(({ to, message }) => `${to} ${JSON.stringify(message)}`)
  const once = new Set<string>()
  const doubled = repeated.filter((one) => once.size === once.add(one).size)
  const dead = Number(await redis.send('XLEN', [DEAD]))
  const waiting = Number(await redis.send('XLEN', [INBOX]))
  return [
    ...doubled.map((one) => `a message came twice: ${one.slice(0, 200)}`),
    ...(dead > 0 ? [`${dead} events of the chat were given up`] : []),
    ...(waiting > 0 ? [`${waiting} events of the chat wait`] : []),
    ...pushFaults(chatState),
    ...(await webhookFaults(sql, chatState)),
    ...(await summaryFaults(sql, chatState)),
  ]
}

const textsTo = ({ line }: ChatState, userId: string): string[] =>
  line.control.deliveries
    .received(userId)
    .flatMap(({ by, message }) => (by !== 'reply' && message.type === 'text' ? [String(message.text)] : []))

/** Acknowledged: everyone once. Unanswered: everyone once, or no one. Refused: no one. */
function pushFaults(chatState: ChatState): string[] {
  return chatState.pushes.flatMap(({ text, to, outcome }) => {
    const got = to.filter((userId) => textsTo(chatState, userId).includes(text)).length
    const holds = (outcome !== 'refused' && got === to.length) || (outcome !== 'acknowledged' && got === 0)
    return holds ? [] : [`the message “${text}” (${outcome}) reached ${got} of ${to.length}`]
  })
}

/** An accepted event has its effect once. Check-ins are audited with all other points. */
async function webhookFaults(sql: Sql, { chat: { delivered } }: ChatState): Promise<string[]> {
  const users = await sql<
    { user_id: string; following: boolean }[]
  >`SELECT user_id, following FROM line.users WHERE user_id IN (SELECT user_id FROM engagement.participants)`
  const following = new Map(users.map((user) => [user.user_id, user.following]))
  const photos = await sql<
    { user_id: string; message_id: string }[]
  >`SELECT user_id, message_id FROM media.photos`
  const kept = new Map(photos.map((photo) => [photo.message_id, photo.user_id]))
  const counts = await sql<
    { user_id: string; photos: number }[]
  >`SELECT user_id, photos FROM media.photo_counts`
  const wrong = counts.filter(
    ({ user_id, photos: count }) => photos.filter((photo) => photo.user_id === user_id).length !== count,
  )
  return [
    ...lost('a follow', [...delivered.following], (userId) => following.get(userId) === true),
    ...lost('an unfollow', [...delivered.left], (userId) => following.get(userId) === false),
    ...lost('a photo', [...delivered.photos.keys()], (id) => kept.get(id) === delivered.photos.get(id)),
    ...(kept.size === photos.length ? [] : ['a photo is kept twice']),
    ...wrong.map(({ user_id }) => `the photos of ${user_id} are counted wrong`),
  ]
}

const lost = (what: string, all: readonly string[], holds: (one: string) => boolean): string[] =>
  all.filter((one) => !holds(one)).map((one) => `${what} was taken and is lost: ${one}`)

/**
 * One summary for everyone; an unlocked achievement is congratulated in its own message or in the summary.
 */
async function summaryFaults(sql: Sql, chatState: ChatState): Promise<string[]> {
  const rows = await sql<
    { user_id: string }[]
  >`SELECT user_id FROM engagement.participants WHERE achievement_unlocked_at IS NOT NULL`
  const unlocked = new Set(rows.map((row) => row.user_id))
  return chatState.chat.followers.flatMap((userId) => {
    const texts = textsTo(chatState, userId)
    const times = (words: string) => texts.filter((text) => text.includes(words)).length
    const [congratulated, own, general] = [CONGRATULATION, OWN_SUMMARY, GENERAL_SUMMARY].map(times)
    const facts = `${congratulated} congratulations, ${own} summaries of their own, ${general} general ones`
    const announced = Number(congratulated) + Number(own)
    const holds =
      Number(own) + Number(general) === 1 &&
      Number(congratulated) <= 1 &&
      (unlocked.has(userId) ? announced >= 1 : announced === 0)
    return holds ? [] : [`${userId}, ${unlocked.has(userId) ? '' : 'not '}unlocked, got ${facts}`]
  })
}
