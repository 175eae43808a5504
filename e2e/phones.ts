import { readFileSync } from 'node:fs'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import { dataOf } from '@palanquin/stack/api'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type AnswerCase, wrongAnswer } from '@palanquin/testing/phones/answers'
import { PHONE_REQUESTS, type PhoneFix, type PhoneRequest } from '@palanquin/testing/phones/requests'
import Type from 'typebox'

const Issued = Type.Object({
  deviceId: Type.String(),
  token: Type.String(),
  url: Type.String(),
  setup: Type.Object({ link: Type.Optional(Type.String()) }),
})
const Listed = Type.Object({
  items: Type.Array(
    Type.Object({
      deviceId: Type.String(),
      lastOutcome: Type.Union([Type.String(), Type.Null()]),
      problem: Type.Union([Type.String(), Type.Null()]),
      pointsToday: Type.Integer(),
    }),
  ),
})
const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
const START = { lat: 24.1, lng: 120.6 }
/** Some 110 m. */
const STEP_DEGREES = 0.001

/** A busy machine may answer "later" some times, as apps know. */
const REPEATS_MAX = 20
const PAUSE_MS = 1_000

type AppUser = { app: PhoneApp; userId: string; token: string }
/** A new fix of each app's own person, unless it is said otherwise. */
type Sending = { fix?: PhoneFix; token?: (app: PhoneApp) => string; later?: boolean }
type Answered = { status: number; body: string }
/** Sends the same again after a 503, as apps do. */
export async function untilTaken(send: () => Promise<Answered>): Promise<Answered> {
  for (let repeats = 0; ; repeats++) {
    const answer = await send()
    if (answer.status !== 503 || repeats >= REPEATS_MAX) return answer
    await Bun.sleep(PAUSE_MS)
  }
}
export type Phones = Awaited<ReturnType<typeof openPhones>>

/** A person for each app, `U-<app>`, with a phone that has it; what they send, and what of it is stored. */
export async function openPhones({ api, running, sql }: ThrowawayStack) {
  const manager = api.as('manager')
  const tokens: string[] = []
  const held: Promise<string | null>[] = []
  let fixes = 0

  const noted = (reply: Parameters<typeof dataOf>[1]) => {
    const issued = dataOf(Issued, reply)
    tokens.push(issued.token)
    return issued
  }
  /** An administrator may ask thirty times a minute: the devices of the participants are the manager's. */
  const issue = async (userId: string, app: PhoneApp, by: 'owner' | 'manager' = 'owner') =>
    noted(await api.post('/devices', { userId, app }, api.as(by)))
  const participants: AppUser[] = []
  for (const app of PHONE_APPS) {
    const userId = `U-${app}`
    participants.push({ app, userId, token: (await issue(userId, app, 'manager')).token })
  }
  const tokenOf = (app: PhoneApp): string => participants.find(({ app: its }) => its === app)?.token ?? ''
  const send = async ({ path, init }: PhoneRequest): Promise<Answered> => {
    const { url, caFile } = running()
    const ca = readFileSync(caFile, 'utf8')
    const answer = await fetch(url + path, { redirect: 'manual', ...init, tls: { ca } })
    return { status: answer.status, body: await answer.text() }
  }
  /** A minute and a hundred metres further each time, since yesterday. */
  const nextFix = (): PhoneFix => ({
    lat: START.lat + ++fixes * STEP_DEGREES,
    lng: START.lng,
    recordedAt: (Math.floor(Date.now() / MINUTE_MS) + fixes) * MINUTE_MS - DAY_MS,
    accuracy: 8,
    speed: 4,
    battery: 61,
  })
  const sendBy = (app: PhoneApp, fix = nextFix(), token = tokenOf(app)): Promise<Answered> => {
    const [request] = PHONE_REQUESTS[app](token, [fix])
    if (!request) throw new Error(`${app} sends nothing`)
    return send(request)
  }
  const sendAll = (fix = nextFix(), token = tokenOf): Promise<[PhoneApp, Answered][]> =>
    Promise.all(
      PHONE_APPS.map(async (app) => [app, await sendBy(app, fix, token(app))] as [PhoneApp, Answered]),
    )

  return {
    participants,
    /** All that were issued. */
    tokens,
    issue,
    rotate: async (deviceId: string) => noted(await api.post(`/devices/${deviceId}/rotate`, {}, manager)),
    revoke: async (deviceId: string): Promise<void> => {
      const { status } = await api.delete(`/devices/${deviceId}`, api.as('owner')) // who may ask as often again
      if (status !== 200) throw new Error(`the revocation was answered ${status}`)
    },
    nextFix,
    send,
    sendBy,
    /** Each app sends the fix at once. */
    sendAll,
    /** What is wrong with their answers in a case of table 1.1; nothing in an empty list. */
    wrong: async (
      wanted: AnswerCase,
      { fix = nextFix(), token = tokenOf, later = false }: Sending = {},
    ): Promise<string[]> => {
      const judged = async (app: PhoneApp) => wrongAnswer(app, wanted, await answered(app))
      const answered = (app: PhoneApp) =>
        wanted === 'taken' ? untilTaken(() => sendBy(app, fix, token(app))) : sendBy(app, fix, token(app))
      const waiting = PHONE_APPS.filter((app) => later && app === 'osmand')
      held.push(...waiting.map(judged))
      const others = await Promise.all(PHONE_APPS.filter((app) => !waiting.includes(app)).map(judged))
      return others.filter((one) => one !== null)
    },
    /** What is wrong with the answers that were held back. */
    wrongAtLast: async (): Promise<string[]> =>
      (await Promise.all(held.splice(0))).filter((one) => one !== null),
    /** The only device of a person, as the list has it. */
    deviceOf: async (userId: string) =>
      dataOf(Listed, await api.get(`/devices?userId=${userId}`, manager)).items[0],
    /** What became of the last that each app sent; an administrator may not ask so often. */
    outcomes: async (): Promise<string[]> => {
      const rows =
        await sql`SELECT outcome FROM tracking.device_reports WHERE user_id IN ${sql(participants.map(({ userId }) => userId))}`
      return rows.map(({ outcome }) => outcome)
    },
    /** Points of a person's only device on this day, as its report has them. */
    reportedToday: async (userId: string): Promise<number> => {
      const [row] = await sql`SELECT points_of_day FROM tracking.device_reports WHERE user_id = ${userId}`
      return row?.points_of_day ?? 0
    },
    /** Stored points of each app. */
    points: async (): Promise<Record<string, number>> => {
      const rows = await sql`SELECT source, count(*)::int AS points FROM tracking.all_points
        WHERE user_id = 'U-' || source GROUP BY source`
      return Object.fromEntries(rows.map(({ source, points }) => [source, points]))
    },
  }
}
