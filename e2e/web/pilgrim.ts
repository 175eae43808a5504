import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { evaluate, openPage, type Watched } from './browser.ts'
import { BAISHATUN } from './seed.ts'

/** Chromium gives a place that a test has set the time at which it was set; a phone measures anew. */
const MEASURES_ANEW = `{
  const { now } = Date
  for (const name of ['watchPosition', 'getCurrentPosition']) {
    const ask = navigator.geolocation[name].bind(navigator.geolocation)
    navigator.geolocation[name] = (give, ...others) =>
      ask(({ coords }) => give({ coords, timestamp: now() }), ...others)
  }
}`

/** A phone that knows where it is. */
export async function openPhone(
  browser: Browser,
  stack: ThrowawayStack,
  { at = BAISHATUN, ...options }: BrowserContextOptions & { at?: typeof BAISHATUN; expected?: RegExp } = {},
): Promise<Watched> {
  const phone = await openPage(browser, stack.running().url, {
    geolocation: { latitude: at.lat, longitude: at.lng, accuracy: 8 },
    permissions: ['geolocation'],
    ...options,
  })
  await phone.page.context().addInitScript(MEASURES_ANEW)
  return phone
}

type Joining = { visibility?: 'crowd' | 'anonymous' | 'named'; name?: string; phone?: string }

/** Joins on the page as a person does; gives the recovery code. */
export async function joinOn(
  page: Page,
  stack: ThrowawayStack,
  { visibility, name, phone }: Joining = {},
): Promise<{ userId: string; recoveryCode: string }> {
  await page.goto(`${stack.running().url}/me?lang=zh-TW`)
  if (visibility) await page.locator(`input[value=${visibility}]`).check()
  if (name) await page.getByLabel('名字', { exact: true }).fill(name)
  if (phone) await page.locator('input[type=tel]').fill(phone)
  // The code of who had the phone before may still be there.
  const joined = page.waitForResponse(
    (answer) => answer.status() === 201 && answer.url().endsWith('/session'),
  )
  await page.getByRole('button', { name: '同意並加入' }).click()
  const { data }: { data: { recoveryCode: string } } = await (await joined).json()
  await page.locator('.code').getByText(data.recoveryCode).waitFor()
  return { userId: await userIdOf(page), recoveryCode: data.recoveryCode }
}

/** Who is signed in on a page, by its cookie. */
async function userIdOf(page: Page): Promise<string> {
  const answer = await page.request.get(new URL('/api/event/session', page.url()).href, {
    ignoreHTTPSErrors: true,
  })
  const { data }: { data: { userId: string } } = await answer.json()
  return data.userId
}

export type Row = { kind: number; recordedMs: number; lat: number; lng: number }
/** Every point of a person in PostgreSQL, in the order of time. */
export async function rowsOf({ sql }: ThrowawayStack, userId: string): Promise<Row[]> {
  return sql<Row[]>`
    SELECT kind, (extract(epoch FROM recorded_at) * 1000)::float8 AS "recordedMs", lat::float8, lng::float8
      FROM tracking.all_points WHERE user_id = ${userId} ORDER BY recorded_at`
}

/** Waits until so many points of a person are in PostgreSQL. */
export const untilStored = (stack: ThrowawayStack, userId: string, count: number): Promise<Row[]> =>
  until(
    async () => {
      const rows = await rowsOf(stack, userId)
      return rows.length >= count && rows
    },
    { what: `${count} points of ${userId} in PostgreSQL` },
  )

/** What waits on the phone, of whom. */
export const outboxOf = (page: Page): Promise<{ userId: string; recordedAt: number; lat: number }[]> =>
  evaluate(
    page,
    `new Promise((resolve, reject) => {
      const opening = indexedDB.open('palanquin')
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        const read = opening.result.transaction('outbox').objectStore('outbox').getAll()
        read.onsuccess = () => {
          opening.result.close()
          resolve(read.result.map(({ userId, point }) => ({ userId, recordedAt: point.recordedAt, lat: point.lat })))
        }
      }
    })`,
  )

/** The draft of that name that the phone keeps; null where there is none. */
export const draftOf = <T>(page: Page, name: string): Promise<T | null> =>
  evaluate<T | null>(
    page,
    `new Promise((resolve, reject) => {
      const opening = indexedDB.open('palanquin')
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        const read = opening.result.transaction('drafts').objectStore('drafts').get(${JSON.stringify(name)})
        read.onsuccess = () => {
          opening.result.close()
          resolve(read.result ?? null)
        }
      }
    })`,
  )

const STEP_DEGREES = 0.0002

/** Walks north in steps of some twenty metres, each of which the page has written down before the next. */
export async function walkNorth(
  page: Page,
  { from, steps, waiting = 0 }: { from: number; steps: number; waiting?: number },
): Promise<void> {
  for (let step = from; step < from + steps; step++) {
    await page.context().setGeolocation({
      latitude: BAISHATUN.lat + step * STEP_DEGREES,
      longitude: BAISHATUN.lng,
      accuracy: 8,
    })
    await page.getByText(`${waiting + step - from + 1} 個點等待上傳`, { exact: true }).waitFor()
  }
}
