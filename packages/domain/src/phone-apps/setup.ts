/** How each app is set up: what to send, open, scan or copy (phone apps, section 4). */
import type { PhoneApp } from '../phone-apps'

export type SetupField = { label: string; value: string }
/** `link` opens the app, `qr` is to be scanned, `file` to be imported, `fields` to be copied. */
export type Setup = {
  link?: string
  qr?: string
  file?: { name: string; type: string; content: string }
  fields: SetupField[]
}

type Address = {
  base: string
  token: string
  deviceId: string
  /** Of the address at which GPSLogger fetches its profile; left out, it has no link. */
  profileCode?: string | undefined
}

/** GPSLogger's profile, as a file. */
export const PROFILE_NAME = 'palanquin.properties'
export const PROFILE_TYPE = 'text/plain; charset=utf-8'

const field = (label: string, value: string): SetupField => ({ label, value })
const enc = encodeURIComponent
const TRACCAR_OPTIONS = 'interval=60&distance=0&accuracy=high&buffer=true&stop_detection=true'
const GPSLOGGER_FIELDS =
  'lat=%LAT&lon=%LON&time=%TIME&acc=%ACC&alt=%ALT&spd=%SPD&dir=%DIR&batt=%BATT&sat=%SAT'
const OSMAND_FIELDS = 'lat={0}&lon={1}&timestamp={2}&accuracy={3}&altitude={4}&speed={5}&bearing={6}'

/** How the app is set up. `base` is the origin of this service, without a slash at its end. */
export function setupOf(
  app: PhoneApp,
  { base, token, deviceId, profileCode }: Address,
): { url: string; setup: Setup } {
  const endpoint = `${base}/in/${app}`
  const withToken = `${endpoint}/${token}`
  const made = SETUPS[app]({ endpoint, withToken, token, user: deviceId.slice(0, 8), profileCode })
  return { url: made.url ?? withToken, setup: made.setup }
}

type Parts = {
  endpoint: string
  withToken: string
  token: string
  user: string
  profileCode: string | undefined
}
type Made = { url?: string; setup: Setup }

const SETUPS: Readonly<Record<PhoneApp, (parts: Parts) => Made>> = {
  // Its queue is wiped when the user changes, not when the password does: the token is the password.
  owntracks: ({ endpoint: url, token, user }) => {
    const config = owntracksConfig(url, token, user)
    const link = `owntracks:///config?inline=${enc(btoa(config))}`
    return {
      url,
      setup: {
        link,
        qr: link,
        file: { name: 'palanquin.otrc', type: 'application/json', content: config },
        fields: [field('Mode', 'HTTP'), field('URL', url), field('Username', user), field('Password', token)],
      },
    }
  },
  overland: ({ endpoint: url, token }) => {
    const link = `overland://setup?url=${enc(url)}&token=${token}&device_id=phone&unique_id=no`
    return {
      url,
      setup: { link, qr: link, fields: [field('Receiver Endpoint URL', url), field('Access Token', token)] },
    }
  },
  traccar: ({ withToken: url, token }) => ({
    setup: {
      link: `org.traccar.client://config?url=${enc(url)}&id=${token}&${TRACCAR_OPTIONS}`,
      qr: `${url}?id=${token}&${TRACCAR_OPTIONS}`,
      fields: [field('Server URL', url), field('Device identifier', token)],
    },
  }),
  // The profile that the link fetches has a token of its own.
  gpslogger: ({ endpoint, withToken, profileCode }) => ({
    setup: {
      ...(profileCode === undefined
        ? {}
        : { link: `gpslogger://properties/${endpoint}/setup/${profileCode}.properties` }),
      file: { name: PROFILE_NAME, type: PROFILE_TYPE, content: gpsloggerProfile(withToken) },
      fields: [field('Custom URL', `${withToken}?${GPSLOGGER_FIELDS}`), field('HTTP Method', 'POST')],
    },
  }),
  osmand: ({ withToken }) => ({
    setup: { fields: [field('Online tracking: web address', `${withToken}?${OSMAND_FIELDS}`)] },
  }),
  opengts: ({ withToken }) => ({ setup: { fields: [field('Server URL', withToken)] } }),
  colota: ({ endpoint: url, token }) => {
    const link = `colota://setup?config=${btoa(colotaConfig(url, token))}`
    return { url, setup: { link, qr: link, fields: [field('Endpoint', url), field('Bearer Token', token)] } }
  },
  ulogger: ({ endpoint: url, token, user }) => ({
    url,
    setup: { fields: [field('Server URL', url), field('User name', user), field('Password', token)] },
  }),
  phonetrack: ({ endpoint, token }) => {
    const url = `${endpoint}/index.php/apps/phonetrack/logPost/${token}/phone`
    return { url, setup: { fields: [field('Nextcloud server', endpoint), field('Session token', token)] } }
  },
}

/** Move mode: a fix every half minute. Commands from the server and friends stay off. */
const owntracksConfig = (url: string, password: string, username: string): string =>
  JSON.stringify({
    _type: 'configuration',
    mode: 3,
    url,
    auth: true,
    username,
    password,
    deviceId: 'phone',
    tid: username.slice(0, 2),
    monitoring: 2,
    moveModeLocatorInterval: 30,
    locatorInterval: 60,
    locatorDisplacement: 20,
    pegLocatorFastestIntervalToInterval: true,
    extendedData: true,
    cmd: false,
    ping: 15,
    encryptionKey: '',
  })

/** Everything but `true` and `false` is a string there, and nothing is escaped. */
const gpsloggerProfile = (withToken: string): string =>
  [
    'log_customurl_enabled=true',
    'log_customurl_method=POST',
    `log_customurl_url=${withToken}?${GPSLOGGER_FIELDS}`,
    'log_customurl_body=',
    'log_customurl_headers=',
    'log_customurl_discard_offline_locations_enabled=false',
    'autocustomurl_enabled=true',
    'time_before_logging=30',
    'accuracy_before_logging=100',
    '',
  ].join('\n')

const colotaConfig = (endpoint: string, bearerToken: string): string =>
  JSON.stringify({
    endpoint,
    apiTemplate: 'custom',
    httpMethod: 'POST',
    interval: 30,
    distance: 10,
    syncInterval: 60,
    filterInaccurateLocations: true,
    accuracyThreshold: 100,
    auth: { type: 'bearer', bearerToken },
  })
