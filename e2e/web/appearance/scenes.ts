import type { Page } from 'playwright-core'
import type { Moment } from './activity.ts'

export type Scene = {
  name: string
  path: string
  /** Visible once the page is as it is to be photographed. */
  ready: string
  moment?: Partial<Moment>
  /** Answers 503 or 429 in place of the API. */
  failing?: 503 | 429
  colorScheme?: 'dark'
  /** Who is signed in: somebody from the start, or once they have joined; left out, the stack answers. */
  person?: 'signed-in' | 'joins'
  /** Has left the activity. */
  isWithdrawn?: true
  /** The window alone, where something covers the page. */
  only?: 'window'
  /** What a person does first. */
  act?: (page: Page) => Promise<void>
}

const MAP_READY = '.map:not(:has(.map-loading)) .beacon-palanquin'

/** The track is read once it is in view. */
const OWN_TRACK = '.my-track'

async function joinAndSeeAll(page: Page): Promise<void> {
  await page.locator('.join button[type=submit]:enabled').click()
  // The track is read once it is in view.
  await page.locator('.my-track').scrollIntoViewIfNeeded()
  await page.locator('.my-track .map:not(:has(.map-loading)) canvas').waitFor()
}

/** Each page, in each state that it shows. */
export const SCENES: readonly Scene[] = [
  { name: 'home', path: '/', ready: '.where-age' },
  { name: 'home-dark', path: '/', ready: '.where-age', colorScheme: 'dark' },
  { name: 'home-stale', path: '/', ready: '.stale', moment: { palanquin: 'stale' } },
  {
    name: 'home-upcoming',
    path: '/',
    ready: '.banner-upcoming',
    moment: { status: 'upcoming', palanquin: 'nowhere' },
  },
  { name: 'home-paused', path: '/', ready: '.banner-paused', moment: { status: 'paused' } },
  { name: 'home-ended', path: '/', ready: '.banner-ended', moment: { status: 'ended', palanquin: 'stale' } },
  { name: 'home-busy', path: '/', ready: '.banner-trouble', failing: 503 },
  { name: 'home-limited', path: '/', ready: '.banner-trouble', failing: 429 },
  { name: 'map', path: '/map', ready: MAP_READY },
  { name: 'map-dark', path: '/map', ready: MAP_READY, colorScheme: 'dark' },
  { name: 'map-paused', path: '/map', ready: MAP_READY, moment: { status: 'paused' } },
  { name: 'map-text', path: '/map', ready: '#places li', act: (page) => page.locator('#tab-text').click() },
  { name: 'me', path: '/me', ready: '.join button[type=submit]:enabled' },
  { name: 'me-joined', path: '/me', ready: '.recovery .qr', person: 'joins', act: joinAndSeeAll },
  {
    name: 'me-pocket',
    path: '/me',
    ready: '.pocket[open] p:nth-of-type(3)',
    person: 'signed-in',
    only: 'window',
    act: async (page) => {
      await page.locator('.recording .button').click()
      await page.locator('.recording [aria-describedby=pocket-hint]').click()
    },
  },
  { name: 'me-dark', path: '/me', ready: OWN_TRACK, person: 'signed-in', colorScheme: 'dark' },
  {
    name: 'me-paused',
    path: '/me',
    ready: OWN_TRACK,
    person: 'signed-in',
    only: 'window',
    moment: { status: 'paused' },
  },
  {
    name: 'me-upcoming',
    path: '/me',
    ready: OWN_TRACK,
    person: 'signed-in',
    only: 'window',
    moment: { status: 'upcoming', palanquin: 'nowhere' },
  },
  { name: 'me-withdrawn', path: '/me', ready: 'h1', person: 'signed-in', isWithdrawn: true },
  {
    name: 'me-limited',
    path: '/me',
    ready: 'main:has(.recording) .banner-trouble',
    person: 'signed-in',
    failing: 429,
  },
  {
    name: 'me-offline',
    path: '/me',
    ready: '.banner-offline',
    person: 'signed-in',
    only: 'window',
    act: async (page) => {
      await page.locator(OWN_TRACK).waitFor()
      await page.context().setOffline(true)
    },
  },
  {
    name: 'me-keepsake',
    path: '/me',
    ready: '.keepsake .map:not(:has(.map-loading)) canvas',
    person: 'signed-in',
    moment: { status: 'ended', palanquin: 'stale' },
  },
  { name: 'survey', path: '/survey', ready: '.button-main', person: 'signed-in' },
  {
    name: 'survey-question',
    path: '/survey',
    ready: 'form',
    person: 'signed-in',
    act: (page) => page.locator('.button-main').click(),
  },
  { name: 'survey-join', path: '/survey', ready: '.join button[type=submit]:enabled' },
  { name: 'survey-ended', path: '/survey', ready: '.banner-ended', moment: { status: 'ended' } },
  { name: 'feedback', path: '/feedback', ready: 'form' },
  {
    name: 'feedback-offline',
    path: '/feedback',
    ready: '.banner-offline',
    act: (page) => page.context().setOffline(true),
  },
  { name: 'lost', path: '/lost', ready: 'form' },
  { name: 'found', path: '/found', ready: 'form' },
  { name: 'privacy', path: '/privacy', ready: 'ul' },
  { name: 'not-found', path: '/nowhere', ready: 'h1' },
]
