/** The apps that people have on their phones: what each sends, and what each is to be answered. */
import Type, { type Static } from 'typebox'
import { readColota } from './phone-apps/colota'
import { readGpslogger } from './phone-apps/gpslogger'
import { readOpengts } from './phone-apps/opengts'
import { readOsmand } from './phone-apps/osmand'
import { readOverland } from './phone-apps/overland'
import { readOwntracks } from './phone-apps/owntracks'
import { readPhonetrack } from './phone-apps/phonetrack'
import type { Reading } from './phone-apps/reading'
import {
  type AppReply,
  COLOTA_REPLIES,
  EMPTY_REPLIES,
  OSMAND_REPLIES,
  OVERLAND_FIRST_REPLY,
  OVERLAND_REPLIES,
  OWNTRACKS_REPLIES,
  PHONETRACK_REPLIES,
  type Replies,
  type ReplyCase,
  ULOGGER_REPLIES,
  ULOGGER_SLOW_MS,
  ULOGGER_TRACK_REPLY,
} from './phone-apps/replies'
import type { AppRequest } from './phone-apps/request'
import { isFromDawarich, readTraccar } from './phone-apps/traccar'
import { actionOf, readUlogger } from './phone-apps/ulogger'

export const PHONE_APPS = [
  'owntracks',
  'overland',
  'traccar',
  'gpslogger',
  'osmand',
  'opengts',
  'colota',
  'ulogger',
  'phonetrack',
] as const
export const PhoneApp = Type.Enum([...PHONE_APPS], { description: `one of ${PHONE_APPS.join(', ')}` })
export type PhoneApp = Static<typeof PhoneApp>

export const isPhoneApp = (name: string): name is PhoneApp => PHONE_APPS.some((app) => app === name)

type App = {
  readonly read: (request: AppRequest) => Reading
  readonly replies: Replies
  /** Whether it sends points by GET too. */
  readonly takesGet: boolean
  /** Its own fields that may hold the token. */
  readonly tokenFields: readonly string[]
}

const postOnly = (read: App['read'], replies: Replies, tokenFields: readonly string[] = []): App => ({
  read,
  replies,
  tokenFields,
  takesGet: false,
})
const getToo = (read: App['read'], replies: Replies, tokenFields: readonly string[] = []): App => ({
  read,
  replies,
  tokenFields,
  takesGet: true,
})

const APPS: Readonly<Record<PhoneApp, App>> = {
  owntracks: postOnly(readOwntracks, OWNTRACKS_REPLIES),
  overland: postOnly(readOverland, OVERLAND_REPLIES),
  traccar: getToo(readTraccar, EMPTY_REPLIES, ['id', 'deviceid', 'device_id']),
  gpslogger: getToo(readGpslogger, EMPTY_REPLIES),
  osmand: getToo(readOsmand, OSMAND_REPLIES),
  opengts: getToo(readOpengts, EMPTY_REPLIES),
  colota: getToo(readColota, COLOTA_REPLIES, ['id', 'deviceid', 'device_id']),
  ulogger: postOnly(readUlogger, ULOGGER_REPLIES, ['pass']),
  phonetrack: postOnly(readPhonetrack, PHONETRACK_REPLIES),
}

/** How an app behaves, by its name. */
export const phoneApp = (app: PhoneApp): App => APPS[app]

/** `isFirst`: it has the first point since the app was set up. */
export type ReplyFacts = { isFirst?: boolean; isNearLimit?: boolean }

/** The response to the app in a case, after what it asked for. */
export function replyOf(
  app: PhoneApp,
  replyCase: ReplyCase,
  request: AppRequest,
  { isFirst = false, isNearLimit = false }: ReplyFacts = {},
): AppReply {
  const reply = APPS[app].replies[replyCase]
  if (replyCase !== 'taken') return reply
  if (app === 'overland' && isFirst) return OVERLAND_FIRST_REPLY
  if (app === 'ulogger') {
    const ofAction = actionOf(request) === 'addtrack' ? ULOGGER_TRACK_REPLY : reply
    return isNearLimit ? { ...ofAction, holdMs: ULOGGER_SLOW_MS } : ofAction
  }
  return app === 'traccar' && isFromDawarich(request) ? OWNTRACKS_REPLIES.taken : reply
}
