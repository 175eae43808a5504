import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT_ROOT } from '../project.ts'
import { runLauncherWith } from '../testing/run-launcher.ts'
import { editDistance } from './edit-distance.ts'
import { readSettings } from './settings.ts'
import { unknownSettings } from './unknown-settings.ts'

const root = mkdtempSync(join(tmpdir(), 'palanquin-unknown-'))
afterAll(() => rmSync(root, { recursive: true }))
copyFileSync(join(PROJECT_ROOT, '.env.example'), join(root, '.env.example'))
const about = (text: string, environment: Record<string, string> = {}) => {
  writeFileSync(join(root, '.env'), text)
  return unknownSettings(root, environment)
}

test('an unknown name is reported, with the setting that was probably meant', () => {
  expect(about('FLUSH_SCEDULE=* * * * *\nGPS_DRIFT_GAURD = on\nexport line_channel_secret=x')).toEqual([
    '.env: FLUSH_SCEDULE is not a setting and does nothing. Did you mean FLUSH_SCHEDULE?',
    '.env: GPS_DRIFT_GAURD is not a setting and does nothing. Did you mean GPS_DRIFT_GUARD?',
    '.env: line_channel_secret is not a setting and does nothing. Did you mean LINE_CHANNEL_SECRET?',
  ])
  expect(about('MY_OWN_THING=1')).toEqual([
    '.env: MY_OWN_THING is not a setting and does nothing. .env.example lists them all.',
  ])
})

test('a token under another brand’s name is reported', () => {
  const [sentence] = about('EVENT_BRAND=white-sand\nEVENT_ADMIN_TOKEN=x\nWHITE_SAND_MANAGER_TOKEN=y')
  expect(sentence).toBe(
    '.env: EVENT_ADMIN_TOKEN is not a setting and does nothing. Did you mean WHITE_SAND_ADMIN_TOKEN?',
  )
  expect(about('', { EVENT_BRAND: 'x', X_VOLUNTER_TOKEN: 'y' })).toEqual([
    'The environment has X_VOLUNTER_TOKEN, which is not a setting and does nothing. Did you mean X_VOLUNTEER_TOKEN?',
  ])
})

test('unknown environment variables are reported only with our prefixes: a shell has many others', () => {
  expect(about('', { EVENT_TIMEZON: 'x', HOME: '/', FLUSH_SCEDULE: 'x', EVENT_DATES: 'y' })).toEqual([
    'The environment has EVENT_TIMEZON, which is not a setting and does nothing. Did you mean EVENT_TIMEZONE?',
  ])
})

test('a line without a setting is reported without its content; comments and multi-line values are accepted', () => {
  expect(about('EVENT_ADMIN_TOKEN: very-secret-indeed')).toEqual([
    '.env: this line is not NAME=value and is ignored: EVENT_ADMIN_…',
  ])
  expect(
    about('# a comment\n\n  # another\nEVENT_DATES="one\ntwo = three\n"\nCOMPOSE_PROJECT_NAME=x\r\n'),
  ).toEqual([])
})

test('every line of .env.example, taken out of its comment, is a setting', async () => {
  const sample = await Bun.file(join(PROJECT_ROOT, '.env.example')).text()
  expect(about(sample.replaceAll(/^#(?=[A-Z])/gm, ''))).toEqual([])
})

test('a file from a Windows editor is read completely', () => {
  writeFileSync(join(root, '.env'), '\uFEFFEVENT_BRAND=x\r\nLOG_LEVEL=warn\r\n')
  expect(readSettings(root, {})).toEqual({ EVENT_BRAND: 'x', LOG_LEVEL: 'warn' })
  expect(unknownSettings(root, {})).toEqual([])
})

test('a settings file that is missing or unreadable is reported in one sentence', async () => {
  const folder = join(root, 'folder')
  mkdirSync(folder)
  for (const [file, words] of [
    [folder, 'cannot be read'],
    [join(root, 'nowhere'), 'there is no such file'],
  ] as const) {
    const { code, out } = await runLauncherWith({ SETTINGS_FILE: file }, 'up', '--home', join(root, 'home'))
    expect({ code, lines: out.trim().split('\n').length }).toEqual({ code: 1, lines: 1 })
    expect(out).toContain(words)
  }
})

test('the distance counts letters changed, removed, inserted or swapped', () => {
  expect(editDistance('abc', 'abc')).toBe(0)
  expect([editDistance('abd', 'abc'), editDistance('ab', 'abc'), editDistance('acb', 'abc')]).toEqual([
    1, 1, 1,
  ])
  expect(editDistance('', 'abc')).toBe(3)
})
