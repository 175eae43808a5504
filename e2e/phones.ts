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

type AppUser = { app: PhoneApp; userId: string; token: string }
type Answered = { status: number; body: string }
export type Phones = Awaited<ReturnType<typeof openPhones>>

/** A person for each app, `U-<app>`, with a phone that has it; what they send, and what of it is stored. */
export async function openPhones({ api, running, sql }: ThrowawayStack) {
  const manager = api.as('manager')
  const tokens: string[] = []
  let fixes = 0

  const noted = (reply: Parameters<typeof dataOf>[1]) => {
    const issued = dataOf(Issued, reply)
    tokens.push(issued.token)
    return issued
  }
  const issue = async (userId: string, app: PhoneApp) =>
    noted(await api.post('/devices', { userId, app }, manager))
  const participants: AppUser[] = []
  for (const app of PHONE_APPS) {
    const userId = `U-${app}`
    participants.push({ app, userId, token: (await issue(userId, app)).token })
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
    ...{ accuracy: 8, speed: 4, battery: 61 },
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
    wrong: async (wanted: AnswerCase, fix?: PhoneFix, token?: (app: PhoneApp) => string): Promise<string[]> =>
      (await sendAll(fix, token))
        .map(([app, answer]) => wrongAnswer(app, wanted, answer))
        .filter((one) => one !== null),
    /** The only device of a person, as the list has it. */
    deviceOf: async (userId: string) =>
      dataOf(Listed, await api.get(`/devices?userId=${userId}`, manager)).items[0],
    /** What became of the last that each app sent; an administrator may not ask so often. */
    outcomes: async (): Promise<string[]> => {
      const rows =
        await sql`SELECT outcome FROM tracking.device_reports WHERE user_id IN ${sql(participants.map(({ userId }) => userId))}`
      return rows.map(({ outcome }) => outcome)
    },
    /** Stored points of each app. */
    points: async (): Promise<Record<string, number>> => {
      const rows = await sql`SELECT source, count(*)::int AS points FROM tracking.all_points
        WHERE user_id = 'U-' || source GROUP BY source`
      return Object.fromEntries(rows.map(({ source, points }) => [source, points]))
    },
  }
}
