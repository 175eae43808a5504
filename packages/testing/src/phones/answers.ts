import type { PhoneApp } from '@palanquin/domain/phone-apps'

/** `taken`: the app may forget what it sent. */
export type AnswerCase = 'taken' | 'later' | 'unknown'
/** The body is that of a 200, to the letter; of the others it is a sentence for its reader. */
export type Answer = { status: number; body?: string }

const all = (taken: string, unknown: Answer): Record<AnswerCase, Answer> => ({
  taken: { status: 200, body: taken },
  later: { status: 503 },
  unknown,
})

/** Table 1.1 of the contract: what each app must be answered. */
const PHONE_ANSWERS: Readonly<Record<PhoneApp, Readonly<Record<AnswerCase, Answer>>>> = {
  owntracks: all('[]', { status: 401 }),
  // A body of its own, with a sentence that the app shows.
  overland: all('{"result":"ok"}', { status: 200 }),
  traccar: all('', { status: 401 }),
  gpslogger: all('', { status: 401 }),
  osmand: all('', { status: 401 }),
  opengts: all('', { status: 401 }),
  colota: all('', { status: 503 }),
  ulogger: all('{"error":false}', { status: 401 }),
  phonetrack: all('{"done":1}', { status: 503 }),
}

/** How long OsmAnd is to wait for an answer that makes it ask again at once, in ms. */
export const OSMAND_HOLD_MS = { later: [5_000, 10_000], unknown: [10_000, 10_000] } as const

/** What is wrong with an answer in a case; null for nothing. */
export function wrongAnswer(
  app: PhoneApp,
  wanted: AnswerCase,
  { status, body }: Required<Answer>,
): string | null {
  const answer = PHONE_ANSWERS[app][wanted]
  const found = `${app} ${wanted}: ${status} ${body}`
  if (status !== answer.status) return found
  if (answer.body !== undefined) return body === answer.body ? null : found
  // Overland keeps its points unless there is a `result`, and shows an `error`.
  return body.includes('error') && !body.includes('result') ? null : found
}
