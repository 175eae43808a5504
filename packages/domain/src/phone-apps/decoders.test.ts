import { expect, test } from 'bun:test'
import { readColota } from './colota'
import { readGpslogger } from './gpslogger'
import { readOpengts } from './opengts'
import { readOsmand } from './osmand'
import { readOverland } from './overland'
import { readOwntracks } from './owntracks'
import { readPhonetrack } from './phonetrack'
import type { AppRequest } from './request'
import { readTraccar } from './traccar'
import { readUlogger } from './ulogger'

const AT = Date.parse('2026-04-13T02:15:00.000Z')
const AT_S = AT / 1_000
const json = (body: unknown): AppRequest => ({ fields: new Map(), json: body })
/** As the gateway reads a query or a form. */
const form = (query: string): AppRequest => ({ fields: new Map(new URLSearchParams(query)), json: undefined })

test('OwnTracks: km/h, seconds, and whether somebody pressed the button', () => {
  const message = { _type: 'location', lat: 23.9, lon: 120.4, tst: AT_S, acc: 7, vel: 5, cog: 190, alt: 21 }
  expect(readOwntracks(json({ ...message, batt: 63, bs: 2, t: 'u', SSID: 'home' }))).toEqual({
    points: [{ lat: 23.9, lng: 120.4, recordedAt: AT, accuracy: 7, speed: 5, altitude: 21, heading: 190 }],
    notPoints: 0,
    invalid: 0,
    byHand: true,
    battery: 63,
    charging: true,
  })
  const unknown = { ...message, vel: -1, cog: -1, acc: -1, batt: -1 }
  expect(readOwntracks(json(unknown)).points).toEqual([
    { lat: 23.9, lng: 120.4, recordedAt: AT, altitude: 21 },
  ])
})

test('OwnTracks: what is no location is no point, also with a place in it', () => {
  for (const _type of ['lwt', 'card', 'transition', 'waypoint', 'encrypted', 'of tomorrow', undefined])
    expect(readOwntracks(json({ _type, lat: 23.9, lon: 120.4, tst: AT_S }))).toMatchObject({
      points: [],
      notPoints: 1,
      invalid: 0,
    })
  expect(readOwntracks(form(''))).toMatchObject({ points: [], notPoints: 0, invalid: 0 })
})

test('Overland in its mode for OwnTracks counts from 2001; a real time before 2001 stays one', () => {
  const message = { _type: 'location', lat: 23.9, lon: 120.4 }
  expect(readOwntracks(json({ ...message, tst: AT_S - 978_307_200 })).points[0]?.recordedAt).toBe(AT)
  expect(readOwntracks(json({ ...message, tst: 100_000_000 })).points[0]?.recordedAt).toBe(100_000_000_000)
})

test('Overland: m/s, a fraction of the battery; what has no place, or is a visit, is no point', () => {
  const geometry = { type: 'Point', coordinates: [120.4, 23.9] }
  const properties = { timestamp: '2026-04-13T10:15:00+0800', speed: 1.5, horizontal_accuracy: 9 }
  const feature = { type: 'Feature', geometry, properties: { ...properties, battery_level: 0.415 } }
  const visit = { type: 'Feature', geometry, properties: { ...properties, action: 'visit' } }
  const wifi = { type: 'Feature', properties: { action: 'paused' } }
  const current = feature
  expect(readOverland(json({ locations: [feature, visit, wifi, 'x'], current }))).toEqual({
    points: [{ lat: 23.9, lng: 120.4, recordedAt: AT, accuracy: 9, speed: 5.4 }],
    notPoints: 2,
    invalid: 1,
    byHand: false,
    battery: 42,
  })
})

test('Traccar Client: knots in fields, m/s in JSON', () => {
  const fields = `id=x&lat=23.9&lon=120.4&timestamp=${AT_S}&accuracy=0.0&speed=10&bearing=90.0&batt=0.0&charge=false`
  expect(readTraccar(form(fields))).toEqual({
    points: [{ lat: 23.9, lng: 120.4, recordedAt: AT, speed: 18.52, heading: 90 }],
    notPoints: 0,
    invalid: 0,
    byHand: false,
    charging: false,
  })
  const coords = { latitude: 23.9, longitude: 120.4, accuracy: 6, speed: 10, heading: -1, altitude: -1 }
  const battery = { level: 0.5, is_charging: true }
  const location = { timestamp: '2026-04-13T02:15:00Z', coords, battery }
  expect(readTraccar(json({ device_id: 'x', location }))).toEqual({
    points: [{ lat: 23.9, lng: 120.4, recordedAt: AT, accuracy: 6, speed: 36, altitude: -1 }],
    notPoints: 0,
    invalid: 0,
    byHand: false,
    battery: 50,
    charging: true,
  })
  expect(readTraccar(form('id=x&notificationToken=y'))).toMatchObject({ points: [], notPoints: 1 })
})

test('GPSLogger: m/s before km/h, unknown where it says 0, arrival where it says no time', () => {
  const [point] = readGpslogger(form('lat=23.9&lon=120.4&spd=2&spd_kph=99&acc=0.0&battery=0.0')).points
  expect(point).toEqual({ lat: 23.9, lng: 120.4, speed: 7.2 })
  const spaced = 'lat=23.9&lon=120.4&time=2026-04-13T10:15:00.000+08:00&spd_kph=4'
  expect(readGpslogger(form(spaced)).points).toEqual([{ lat: 23.9, lng: 120.4, recordedAt: AT, speed: 4 }])
  expect(readGpslogger(form('lat=23.9&lon=120.4&time=yesterday'))).toMatchObject({ points: [], invalid: 1 })
})

test('OsmAnd: metres of accuracy that it calls hdop, numbers with exponents', () => {
  const query = `lat=23.9&lon=1.204E2&timestamp=${AT}&hdop=4.5&altitude=1.0E-4&speed=1.25&bearing=10`
  expect(readOsmand(form(query)).points).toEqual([
    { lat: 23.9, lng: 120.4, recordedAt: AT, accuracy: 4.5, speed: 4.5, altitude: 0.0001, heading: 10 },
  ])
})

test('OpenGTS: degrees and minutes, knots, two or three digits of degrees; a fix that is not valid is no point', () => {
  const read = (sentence: string) => readOpengts(form(`batt=0&alt=12.5&gprmc=${sentence}`))
  const [point] = read('$GPRMC,021500,A,2354.00000,N,12024.00000,E,10.0,45.0,130426,,*00').points
  expect(point).toEqual({ lat: 23.9, lng: 120.4, recordedAt: AT, speed: 18.52, altitude: 12.5, heading: 45 })
  const [south] = read('$GPRMC,021500,A,2354.0,S,9024.0,W,0,0,130426,,*00').points
  expect(south).toMatchObject({ lat: -23.9, lng: -90.4, speed: 0, heading: 0 })
  expect(read('$GPRMC,021500,V,2354.0,N,12024.0,E,0,0,130426,,*00')).toMatchObject({ notPoints: 1 })
  for (const wrong of [
    '$GPRMC,021500,A,north,N,12024.0,E,0,0,130426',
    '$GPRMC,2,A,2354.0,N,12024.0,E,0,0,',
    'x',
  ])
    expect(read(wrong)).toMatchObject({ points: [], invalid: 1 })
})

test('Colota: m/s whatever the template, one point or a batch', () => {
  const flat = { lat: 23.9, lon: 120.4, tst: AT_S, acc: 3, vel: 2, bear: 15, batt: 80, bs: 1 }
  const point = { lat: 23.9, lng: 120.4, recordedAt: AT, accuracy: 3, speed: 7.2, heading: 15 }
  expect(readColota(json(flat))).toMatchObject({ points: [point], battery: 80, charging: false })
  expect(readColota(json({ ...flat, _type: 'location' })).points).toEqual([point])
  expect(readColota(json([flat, flat])).points).toHaveLength(2)
  expect(readColota(json({ locations: [flat, { _type: 'lwt' }] }))).toMatchObject({ notPoints: 1 })
  expect(readColota(form(`lat=23.9&lon=120.4&timestamp=${AT_S}&acc=3&vel=2&bear=15`)).points).toEqual([point])
})

test('µlogger logs in and opens a track without a point, then sends one a request', () => {
  expect(readUlogger(form('action=auth&user=a&pass=b'))).toMatchObject({ points: [], notPoints: 0 })
  const fix = `action=addpos&trackid=1&lat=23.9&lon=120.4&time=${AT_S}&speed=1&accuracy=4&comment=secret`
  expect(readUlogger(form(fix)).points).toEqual([
    { lat: 23.9, lng: 120.4, recordedAt: AT, accuracy: 4, speed: 3.6 },
  ])
})

test('PhoneTrack: a form, or lists in JSON; an empty text is unknown', () => {
  const fields = form(`lat=23.9&lon=120.4&timestamp=${AT_S}&acc=&alt=&bat=55.0&speed=2&bearing=`)
  expect(readPhonetrack(fields)).toMatchObject({
    points: [{ lat: 23.9, lng: 120.4, recordedAt: AT, speed: 7.2 }],
    battery: 55,
  })
  const row = [23.9, 120.4, AT_S, 12, 8, 55, 9, 'app', 2, 30]
  const point = { lat: 23.9, lng: 120.4, recordedAt: AT, accuracy: 8, speed: 7.2, altitude: 12, heading: 30 }
  expect(readPhonetrack(json({ points: [row, [1], 'x'] }))).toMatchObject({
    points: [point],
    notPoints: 1,
    invalid: 1,
  })
})

test('half a position, and one that is nowhere, are no points; a text for a number is invalid', () => {
  for (const query of ['lat=23.9', 'lon=120.4', 'lat=91&lon=120.4', 'lat=23.9&lon=181', 'lat=NaN&lon=120.4'])
    expect(readOsmand(form(query))).toMatchObject({ points: [], notPoints: 1, invalid: 0 })
  expect(readOsmand(form('lat=north&lon=120.4'))).toMatchObject({ points: [], notPoints: 0, invalid: 1 })
})
