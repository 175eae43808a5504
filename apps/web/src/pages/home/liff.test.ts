import { expect, test } from 'bun:test'
import { liffTarget } from './liff.ts'

const PAGES = ['/', '/map', '/survey']
const targetOf = (state: string) => liffTarget(`?liff.state=${encodeURIComponent(state)}`, PAGES)

test('LINE’s state leads to the page that it names, marked as opened by LINE', () => {
  expect(liffTarget('?liff.state=%2Fmap', PAGES)).toBe('/map?liff=1')
  expect(targetOf('/survey')).toBe('/survey?liff=1')
  expect(targetOf('/map?lang=en#places')).toBe('/map?lang=en&liff=1#places')
})

test.each([
  '//evil',
  '//evil.example/map',
  'https:',
  'https://evil.example/map',
  '/\\evil',
  '\\\\evil/map',
  '/\t/evil.example/map',
  'javascript:alert(1)',
  '@evil.example/map',
  '.evil.example/map',
  '/map/../../evil',
  '/nowhere',
  '/api/event/user/U1',
  'map',
  '/',
  '',
])('a state of %p leads nowhere', (state) => {
  expect(targetOf(state)).toBeNull()
})

test('without a state the page stays', () => {
  expect(liffTarget('', PAGES)).toBeNull()
  expect(liffTarget('?liff=1', PAGES)).toBeNull()
})
