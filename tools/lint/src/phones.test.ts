import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import { setupOf } from '@palanquin/domain/phone-apps/setup'
import { PROJECT_ROOT } from '@palanquin/stack/project'

const ADDRESS = {
  base: 'https://walk.example',
  token: 'plqTOKEN',
  deviceId: '5f0c6c1e-4a43-4f3e-9a1e-0f3f3b6f9d11',
}
/** The heading of an app begins with its name. */
const HEADINGS: Readonly<Record<PhoneApp, string>> = {
  owntracks: 'OwnTracks',
  overland: 'Overland',
  traccar: 'Traccar Client',
  gpslogger: 'GPSLogger',
  osmand: 'OsmAnd',
  opengts: 'OpenGTS',
  colota: 'Colota',
  ulogger: 'µlogger',
  phonetrack: 'PhoneTrack',
}

const sectionOf = (document: string, app: PhoneApp): string =>
  document.split(/^#{2,3} /m).find((section) => section.startsWith(HEADINGS[app])) ?? ''
const quotedIn = (section: string): string[] =>
  [...section.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

describe.each(['docs/phones.md', 'docs/phones.en.md'])('%s', (file) => {
  const document = readFileSync(join(PROJECT_ROOT, file), 'utf8')

  test.each([...PHONE_APPS])(
    'names every field of %s, and no setting that its set-up does not have',
    (app) => {
      const { url, setup } = setupOf(app, ADDRESS)
      const quoted = quotedIn(sectionOf(document, app))
      for (const { label } of setup.fields) expect(quoted).toContain(label)
      const known = `${url} ${JSON.stringify(setup)}`
      expect(quoted.filter((name) => !known.includes(name))).toEqual([])
    },
  )
})
