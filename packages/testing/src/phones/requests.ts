import type { PhoneApp } from '@palanquin/domain/phone-apps'
import {
  featureOf,
  inKnots,
  inMs,
  owntracksOf,
  type PhoneFix,
  rowOf,
  seconds,
  sentenceOf,
} from './formats.ts'

export type { PhoneFix } from './formats.ts'

/** A request of an app, below the address of the service. */
export type PhoneRequest = {
  path: string
  init: { method?: string; headers?: Record<string, string>; body?: string }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_BODY = { 'content-type': 'application/json' }
/** By default; 50 to 1,000 can be set. */
const OVERLAND_BATCH = 200
/** Up to five points go one by one, more in lists of so many. */
const PHONETRACK_ROWS = 200
const PHONETRACK_SINGLE_MAX = 5

/** What each app sends of fixes that wait on the phone, in their order, its token where the app has it. */
export const PHONE_REQUESTS: Readonly<
  Record<PhoneApp, (token: string, fixes: readonly PhoneFix[]) => PhoneRequest[]>
> = {
  owntracks: each((token, fix) =>
    post('/in/owntracks', owntracksOf(fix), {
      ...JSON_BODY,
      authorization: `Basic ${btoa(`jane:${token}`)}`,
    }),
  ),
  overland: (token, fixes) =>
    lots(fixes, OVERLAND_BATCH).map((lot) =>
      post(
        '/in/overland',
        { locations: lot.map(featureOf) },
        { ...JSON_BODY, authorization: `Bearer ${token}` },
      ),
    ),
  traccar: each((token, fix) => {
    const { lat, lng, recordedAt, accuracy, altitude, speed, heading, battery } = fix
    return postForm('/in/traccar', {
      id: token,
      lat,
      lon: lng,
      timestamp: seconds(recordedAt),
      accuracy,
      altitude,
      speed: inKnots(speed),
      bearing: heading,
      batt: battery,
      charge: 'false',
    })
  }),
  gpslogger: each((token, { lat, lng, recordedAt, accuracy, altitude, speed, heading, battery }) => ({
    path: `/in/gpslogger/${token}?${query({
      lat,
      lon: lng,
      time: new Date(recordedAt).toISOString(),
      acc: accuracy ?? '0.0',
      alt: altitude,
      spd: inMs(speed),
      dir: heading,
      batt: battery,
      sat: 9,
    })}`,
    init: { method: 'POST', body: '' },
  })),
  osmand: each((token, { lat, lng, recordedAt, accuracy, altitude, speed, heading }) => ({
    path: `/in/osmand/${token}?${query({
      lat,
      lon: lng,
      timestamp: recordedAt,
      accuracy,
      altitude,
      speed: inMs(speed),
      bearing: heading,
    })}`,
    init: {},
  })),
  // The sentence is not escaped.
  opengts: each((token, fix) => ({
    path: `/in/opengts/${token}?${query({ id: 'phone', batt: fix.battery ?? 0, alt: fix.altitude })}&gprmc=${sentenceOf(fix)}`,
    init: {},
  })),
  colota: each((token, { lat, lng, recordedAt, accuracy, altitude, speed, heading, battery }) =>
    post(
      '/in/colota',
      {
        lat,
        lon: lng,
        tst: seconds(recordedAt),
        acc: accuracy,
        alt: altitude,
        batt: battery,
        bs: 1,
        vel: inMs(speed),
        bear: heading,
      },
      { ...JSON_BODY, authorization: `Bearer ${token}` },
    ),
  ),
  ulogger: each((token, { lat, lng, recordedAt, accuracy, altitude, speed, heading }) =>
    postForm(
      '/in/ulogger/client/index.php',
      {
        action: 'addpos',
        trackid: 1,
        lat,
        lon: lng,
        time: seconds(recordedAt),
        accuracy,
        altitude,
        speed: inMs(speed),
        bearing: heading,
        provider: 'gps',
      },
      { cookie: `other=1; palanquin_device=${token}` },
    ),
  ),
  phonetrack: (token, fixes) => {
    const path = (action: string) => `/in/phonetrack/index.php/apps/phonetrack/${action}/${token}/my%20phone`
    if (fixes.length > PHONETRACK_SINGLE_MAX)
      return lots(fixes, PHONETRACK_ROWS).map((lot) =>
        post(path('logPostMultiple'), { points: lot.map(rowOf) }, JSON_BODY),
      )
    return fixes.map(({ lat, lng, recordedAt, accuracy, altitude, speed, heading, battery }) =>
      postForm(path('logPost'), {
        timestamp: seconds(recordedAt),
        lat,
        lon: lng,
        alt: altitude ?? '',
        acc: accuracy ?? '',
        speed: inMs(speed) ?? '',
        bearing: heading ?? '',
        sat: 9,
        bat: battery ?? '',
      }),
    )
  },
}

/** Of an app that sends one fix a request. */
function each(request: (token: string, fix: PhoneFix) => PhoneRequest) {
  return (token: string, fixes: readonly PhoneFix[]) => fixes.map((fix) => request(token, fix))
}

const post = (path: string, body: unknown, headers: Record<string, string>): PhoneRequest => ({
  path,
  init: { method: 'POST', headers, body: JSON.stringify(body) },
})

type Fields = Record<string, string | number | null | undefined>

const query = (fields: Fields): string =>
  Object.entries(fields)
    .flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
    )
    .join('&')

const postForm = (path: string, fields: Fields, headers: Record<string, string> = {}): PhoneRequest => ({
  path,
  init: { method: 'POST', headers: { ...FORM, ...headers }, body: query(fields) },
})

function lots<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
}
