import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { PHONE_APPS, type PhoneApp } from '../phone-apps'
import { type Setup, setupOf } from './setup'

const SEED = { seed: 20_261_125, numRuns: 300 }
const DIGITS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
const text = (length: number) =>
  fc.array(fc.constantFrom(...DIGITS), { minLength: length, maxLength: length }).map((all) => all.join(''))
const addresses = fc.record({
  base: fc
    .tuple(fc.domain(), fc.option(fc.integer({ min: 1, max: 65_535 })))
    .map(([host, port]) => `https://${host}${port === null ? '' : `:${port}`}`),
  token: text(29).map((random) => `plq${random}`),
  deviceId: fc.uuid(),
  profileCode: text(22),
})
type Address = typeof addresses extends fc.Arbitrary<infer A> ? A : never

/** Every set-up of an app, read back as its source does. */
const each = (app: PhoneApp, read: (setup: Setup, address: Address, url: string) => void) =>
  fc.assert(
    fc.property(addresses, (address) => {
      const { setup, url } = setupOf(app, address)
      read(setup, address, url)
    }),
    SEED,
  )
const fieldOf = ({ fields }: Setup, label: string): string =>
  fields.find((field) => field.label === label)?.value ?? ''
/** Android's `Uri.getQueryParameter`: a `+` is a space. */
const parameterOf = (link: string, name: string): string => new URL(link).searchParams.get(name) ?? ''
/** Strict base64 with padding, and UTF-8. */
function base64(encoded: string): string {
  expect(encoded).toMatch(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
  return Buffer.from(encoded, 'base64').toString('utf8')
}
/** `java.util.Properties.load`: of a line the key ends at `=`, `:` or a space, and a backslash escapes. */
function propertiesOf(content: string): Map<string, string> {
  const lines = content.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '' && !/^\s*[#!]/.test(line))
  return new Map(
    lines.map((line) => {
      expect(line).not.toContain('\\')
      const [, key = '', value = ''] = /^\s*([^\s=:]+)[\s]*[=:]?\s*(.*)$/.exec(line) ?? []
      return [key, value] as const
    }),
  )
}

test('every app has fields to copy by hand, and its address is the path of that app', () => {
  for (const app of PHONE_APPS)
    each(app, ({ fields }, { base, token }, url) => {
      expect(url).toStartWith(`${base}/in/${app}`)
      expect(url + JSON.stringify(fields)).toContain(token)
      for (const { label, value } of fields) expect([label !== '', value !== '']).toEqual([true, true])
    })
})

test('OwnTracks: the link, its code and the file hold one configuration; the token is the password, the address constant', () => {
  each('owntracks', ({ link = '', qr, file, fields }, { base, token, deviceId }, url) => {
    expect(url).toBe(`${base}/in/owntracks`)
    expect([new URL(link).protocol, new URL(link).pathname, qr]).toEqual(['owntracks:', '/config', link])
    const inline = base64(parameterOf(link, 'inline'))
    expect(file).toEqual({ name: 'palanquin.otrc', type: 'application/json', content: inline })
    expect(JSON.parse(inline)).toEqual({
      _type: 'configuration',
      mode: 3,
      url,
      auth: true,
      username: deviceId.slice(0, 8),
      password: token,
      deviceId: 'phone',
      tid: deviceId.slice(0, 2),
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
    expect(fieldOf({ fields }, 'Password')).toBe(token)
  })
})

test('Overland: the link sets address, token and the name of the phone', () => {
  each('overland', ({ link = '' }, { base, token }) => {
    expect(link).toStartWith('overland://setup?')
    const read = ['url', 'token', 'device_id', 'unique_id'].map((name) => parameterOf(link, name))
    expect(read).toEqual([`${base}/in/overland`, token, 'phone', 'no'])
  })
})

test('Traccar Client: the code that it scans is the address with the settings, the link holds that address', () => {
  each('traccar', ({ link = '', qr = '' }, { base, token }) => {
    const server = `${base}/in/traccar/${token}`
    const scanned = new URL(qr)
    // The address becomes origin and path; the rest are settings.
    expect(scanned.origin + scanned.pathname).toBe(new URL(server).href)
    const settings = {
      interval: '60',
      distance: '0',
      accuracy: 'high',
      buffer: 'true',
      stop_detection: 'true',
    }
    expect(Object.fromEntries(scanned.searchParams)).toEqual({ id: token, ...settings })
    expect(new URL(link).host).toBe('config')
    expect(Object.fromEntries(new URL(link).searchParams)).toEqual({ url: server, id: token, ...settings })
  })
})

test('Colota: the settings with the token apart from the address', () => {
  each('colota', ({ link = '' }, { base, token }) => {
    expect(link).toStartWith('colota://setup?config=')
    expect(JSON.parse(base64(link.slice('colota://setup?config='.length)))).toEqual({
      endpoint: `${base}/in/colota`,
      apiTemplate: 'custom',
      httpMethod: 'POST',
      interval: 30,
      distance: 10,
      syncInterval: 60,
      filterInaccurateLocations: true,
      accuracyThreshold: 100,
      auth: { type: 'bearer', bearerToken: token },
    })
  })
})

test('GPSLogger: the link is the address of a profile; the profile sends to the address with the token', () => {
  each('gpslogger', ({ link = '', file, fields }, { base, token, profileCode }, url) => {
    // The app takes what is behind `properties/` for the address.
    const fetched = /^gpslogger:\/\/properties\/(.+)$/.exec(link)?.[1] ?? ''
    expect(fetched).toBe(`${base}/in/gpslogger/setup/${profileCode}.properties`)
    expect(fetched).not.toContain(token)
    const template = `${url}?lat=%LAT&lon=%LON&time=%TIME&acc=%ACC&alt=%ALT&spd=%SPD&dir=%DIR&batt=%BATT&sat=%SAT`
    expect(propertiesOf(file?.content ?? '')).toEqual(
      new Map([
        ['log_customurl_enabled', 'true'],
        ['log_customurl_method', 'POST'],
        ['log_customurl_url', template],
        ['log_customurl_body', ''],
        ['log_customurl_headers', ''],
        ['log_customurl_discard_offline_locations_enabled', 'false'],
        ['autocustomurl_enabled', 'true'],
        ['time_before_logging', '30'],
        ['accuracy_before_logging', '100'],
      ]),
    )
    expect(fieldOf({ fields }, 'Custom URL')).toBe(template)
    // What it puts into the address begins with a percent sign: no placeholder is in the rest.
    expect(template.replace(/=%[A-Z]+/g, '')).not.toContain('%')
  })
  expect(
    setupOf('gpslogger', { base: 'https://walk.example', token: 'plqT', deviceId: 'd' }).setup.link,
  ).toBeUndefined()
})

test('OsmAnd: its MessageFormat puts the fix into the address, and takes nothing of it away', () => {
  each('osmand', ({ fields }, { base, token }) => {
    const value = fieldOf({ fields }, 'Online tracking: web address')
    const fix = ['24.1', '120.6', '1776046500000', '4.5', '21', '1.25', '90']
    // `'` quotes, and braces are arguments: there is none but those.
    expect(value).not.toContain("'")
    const sent = new URL(value.replace(/\{(\d)\}/g, (_, at: string) => fix[Number(at)] ?? ''))
    expect(sent.pathname).toBe(`/in/osmand/${token}`)
    expect(sent.origin).toBe(new URL(base).origin)
    const [lat, lon, timestamp, accuracy, altitude, speed, bearing] = fix
    expect<object>(Object.fromEntries(sent.searchParams)).toEqual({
      lat,
      lon,
      timestamp,
      accuracy,
      altitude,
      speed,
      bearing,
    })
  })
})

test('OpenGTS, µlogger and PhoneTrack put their own paths behind the address, which are ours', () => {
  each('opengts', ({ fields }, { base, token }) =>
    expect(`${fieldOf({ fields }, 'Server URL')}?gprmc=`).toBe(`${base}/in/opengts/${token}?gprmc=`),
  )
  each('ulogger', (setup, { base, token }) => {
    expect(`${fieldOf(setup, 'Server URL')}/client/index.php`).toBe(`${base}/in/ulogger/client/index.php`)
    expect(fieldOf(setup, 'Password')).toBe(token)
  })
  each('phonetrack', (setup, { base, token }, url) => {
    const [server, session] = [fieldOf(setup, 'Nextcloud server'), fieldOf(setup, 'Session token')]
    expect(`${server}/index.php/apps/phonetrack/logPost/${session}/phone`).toBe(url)
    expect(url).toBe(`${base}/in/phonetrack/index.php/apps/phonetrack/logPost/${token}/phone`)
  })
})
