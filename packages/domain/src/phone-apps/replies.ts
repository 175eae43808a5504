/** The response to each app, whose status decides whether the app keeps its points (phone apps, 1.1). */

/** `taken`: the app may forget them; `later`: it sends them again; `unknown_token`: a person has to mend it. */
export type ReplyCase = 'taken' | 'later' | 'unknown_token'

/** `holdMs`: sent only after so long, for an app that asks again at once. */
export type AppReply =
  | { readonly status: 200; readonly body: string; readonly holdMs?: number }
  | { readonly status: 401 | 503; readonly sentence: string; readonly holdMs?: number }

export type Replies = Readonly<Record<ReplyCase, AppReply>>

const UNKNOWN_SENTENCE =
  'This address is not valid any more. Please set the app up again on the event’s page.'
const LATER_SENTENCE = 'The positions are not taken right now. Please keep them and send them again later.'

const LATER = { status: 503, sentence: LATER_SENTENCE } as const
const UNKNOWN = { status: 401, sentence: UNKNOWN_SENTENCE } as const

/** An app that reads nothing but the status. */
const plain = (body: string): Replies => ({
  taken: { status: 200, body },
  later: LATER,
  unknown_token: UNKNOWN,
})

export const EMPTY_REPLIES = plain('')
/** Before 2.6.0 Android takes a 2xx whose body is not JSON of its kind for a failure. */
export const OWNTRACKS_REPLIES = plain('[]')
/** It forgets points only on a `result`; an `error` is shown to the person. */
export const OVERLAND_REPLIES: Replies = {
  ...plain('{"result":"ok"}'),
  unknown_token: {
    status: 200,
    body: JSON.stringify({ error: `這個設定已經失效，請到活動網頁重新設定。 ${UNKNOWN_SENTENCE}` }),
  },
}
/** Its settings, once: a fix of every ten metres, sent every minute. `off` would end its calls. */
export const OVERLAND_FIRST_REPLY: AppReply = {
  status: 200,
  body: JSON.stringify({
    result: 'ok',
    set: {
      send_interval: '1m',
      main: {
        tracking_mode: 'standard',
        desired_accuracy: '10m',
        min_distance: '10m',
        min_time: '10s',
        pause_automatically: false,
      },
    },
  }),
}
/** A 4xx halves its batch until single points are left: 500 points would be 999 requests. */
export const COLOTA_REPLIES: Replies = { ...EMPTY_REPLIES, unknown_token: LATER }
/** It asks again at once and for ever. */
export const OSMAND_REPLIES: Replies = {
  ...EMPTY_REPLIES,
  later: { ...LATER, holdMs: 6_000 },
  unknown_token: { ...UNKNOWN, holdMs: 10_000 },
}
/** Exactly 200, and `error` must be false; a 401 makes it log in again. */
export const ULOGGER_REPLIES = plain('{"error":false}')
/** It rests five minutes after a 503, and waits half a minute for a reply: so it is slowed down before. */
export const ULOGGER_SLOW_MS = 200
export const ULOGGER_TRACK_REPLY: AppReply = { status: 200, body: '{"error":false,"trackid":1}' }
export const PHONETRACK_REPLIES: Replies = { ...plain('{"done":1}'), unknown_token: LATER }
