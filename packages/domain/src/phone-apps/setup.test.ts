import { expect, test } from 'bun:test'
import { PHONE_APPS } from '../phone-apps'
import { setupOf } from './setup'

const ADDRESS = {
  base: 'https://walk.example',
  token: 'plqTOKEN',
  deviceId: '5f0c6c1e-4a43-4f3e-9a1e-0f3f3b6f9d11',
}
const of = (app: (typeof PHONE_APPS)[number]) => setupOf(app, ADDRESS)

test('every app has fields to copy by hand, and its address is the path of that app', () => {
  for (const app of PHONE_APPS) {
    const { url, setup } = of(app)
    expect(url).toStartWith(`https://walk.example/in/${app}`)
    expect(setup.fields.length).toBeGreaterThan(0)
    expect(url + JSON.stringify(setup.fields)).toContain('plqTOKEN')
  }
})

test('OwnTracks: the token is the password, its address never changes, and base64 survives being a link', () => {
  const { url, setup } = of('owntracks')
  expect(url).toBe('https://walk.example/in/owntracks')
  const inline = new URL(setup.link ?? '').searchParams.get('inline') ?? ''
  const config = JSON.parse(atob(inline))
  expect(config).toMatchObject({
    _type: 'configuration',
    mode: 3,
    url,
    username: '5f0c6c1e',
    password: 'plqTOKEN',
  })
  expect(config).toMatchObject({ tid: '5f', auth: true, cmd: false })
  expect(setup.file).toEqual({ name: 'palanquin.otrc', type: 'application/json', content: atob(inline) })
})

test('Traccar Client: the code that it scans is the address with the settings, the link holds that address', () => {
  const { url, setup } = of('traccar')
  expect(setup.qr).toStartWith(`${url}?id=plqTOKEN&`)
  expect(new URL(setup.link ?? '').searchParams.get('url')).toBe(url)
  expect(new URL(setup.link ?? '').searchParams.get('id')).toBe('plqTOKEN')
})

test('Colota and Overland: the address without the token, which is apart', () => {
  const config = JSON.parse(atob(new URL(of('colota').setup.link ?? '').searchParams.get('config') ?? ''))
  expect(config).toMatchObject({
    ...{ endpoint: 'https://walk.example/in/colota', httpMethod: 'POST' },
    auth: { type: 'bearer', bearerToken: 'plqTOKEN' },
  })
  expect(new URL(of('overland').setup.link ?? '').searchParams.get('token')).toBe('plqTOKEN')
})

test('GPSLogger: its profile, read as java.util.Properties does, posts to the address with the token', () => {
  const { url, setup } = of('gpslogger')
  const lines = (setup.file?.content ?? '').split('\n').filter((line) => line !== '')
  const profile = new Map(
    lines.map((line) => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1)]
    }),
  )
  expect(setup.file?.content).not.toContain('\\')
  expect(profile.get('log_customurl_enabled')).toBe('true')
  expect(profile.get('log_customurl_method')).toBe('POST')
  expect(profile.get('log_customurl_url')).toStartWith(`${url}?lat=%LAT&lon=%LON&time=%TIME`)
  expect(profile.get('log_customurl_discard_offline_locations_enabled')).toBe('false')
})
