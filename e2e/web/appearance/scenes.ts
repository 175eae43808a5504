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
  /** What a person does first. */
  act?: (page: Page) => Promise<void>
}

const MAP_READY = '.map:not(:has(.map-loading)) .beacon-palanquin'

/** Each page, in each state that it shows. */
export const SCENES: readonly Scene[] = [
  { name: 'home', path: '/', ready: '.where-age' },
  { name: 'home-dark', path: '/', ready: '.where-age', colorScheme: 'dark' },
  { name: 'home-stale', path: '/', ready: '.stale', moment: { palanquin: 'stale' } },
  {
    ...{ name: 'home-upcoming', path: '/', ready: '.banner-upcoming' },
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
  { name: 'survey', path: '/survey', ready: '.button-main' },
  {
    ...{ name: 'survey-question', path: '/survey', ready: 'form' },
    act: (page) => page.locator('.button-main').click(),
  },
  { name: 'survey-ended', path: '/survey', ready: '.banner-ended', moment: { status: 'ended' } },
  { name: 'feedback', path: '/feedback', ready: 'form' },
  {
    ...{ name: 'feedback-offline', path: '/feedback', ready: '.banner-offline' },
    act: (page) => page.context().setOffline(true),
  },
  { name: 'lost', path: '/lost', ready: 'form' },
  { name: 'found', path: '/found', ready: 'form' },
  { name: 'privacy', path: '/privacy', ready: 'ul' },
  { name: 'not-found', path: '/nowhere', ready: 'h1' },
]
