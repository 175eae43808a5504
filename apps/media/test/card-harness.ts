import { receiptsUnder } from '@palanquin/service/erasure-token'
import { createHttpApp } from '@palanquin/service/http/app'
import { INTERNAL_TOKEN_HEADER, TIER_HEADER } from '@palanquin/service/http/headers'
import { createLog, type Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { Elysia } from 'elysia'
import { createCards } from '../src/cards/cards.ts'
import type { CardWorker } from '../src/cards/render/card-pool.ts'
import { type Facts, profileOf } from './profile.ts'
import { openStores } from './stores.ts'

const INTERNAL_TOKEN = 'an-internal-token-for-tests'
/** No deadline but that of a hanging test. */
export const UNHURRIED = {
  waitMsMax: TEST_TIMEOUT_MS,
  answerMsMax: TEST_TIMEOUT_MS,
  deadlineMs: TEST_TIMEOUT_MS,
  firstDeadlineMs: TEST_TIMEOUT_MS,
}

type Options = {
  log?: Log
  startThread?: () => CardWorker
  threads?: number
  baseUrl?: string
  folder?: string
}

/** The cards on throwaway stores. */
export async function cardHarness({
  log = createLog({ service: 'media', level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
  startThread,
  threads = 1,
  baseUrl,
  folder,
}: Options = {}) {
  const stores = await openStores({ log, folder })
  const { db, objects } = stores
  const profiles = new Map<string, Facts>()
  const engagement = { away: false, asked: 0 }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      engagement.asked++
      if (request.headers.get(INTERNAL_TOKEN_HEADER) !== INTERNAL_TOKEN)
        return new Response('', { status: 401 })
      if (engagement.away) return Response.json({ error: 'away' }, { status: 503 })
      const userId = new URL(request.url).pathname.slice('/user/'.length)
      const facts = profiles.get(userId)
      if (!facts) return Response.json({ error: 'unknown' }, { status: 404 })
      return Response.json({ ok: true, data: profileOf(userId, facts) })
    },
  })
  /** One more process of the service, on the same stores. */
  const open = (start: (() => CardWorker) | undefined = startThread) => {
    const metrics = createMetrics('media')
    const cards = createCards({
      settings: {
        INTERNAL_TOKEN,
        ENGAGEMENT_URL: `http://127.0.0.1:${server.port}`,
        EVENT_BRAND: 'event',
        EVENT_NAME_ZH: '白沙屯媽祖進香',
        EVENT_NAME_EN: 'Baishatun Mazu Pilgrimage',
        EVENT_DATES: '2026.4.12 – 4.20',
        CARD_WORKERS: threads,
        ...(baseUrl ? { PUBLIC_BASE_URL: baseUrl } : {}),
      },
      db,
      objects,
      receiptOf: receiptsUnder('pseudonym-secret-of-the-tests'),
      publishOutbox: async () => {},
      log,
      metrics,
      limits: UNHURRIED,
      profileDeadlineMs: TEST_TIMEOUT_MS,
      ...(start ? { startThread: start } : {}),
    })
    const shell = createHttpApp({
      service: 'media',
      internalToken: INTERNAL_TOKEN,
      log,
      metrics,
      readiness: async () => ({}),
    })
    const app = new Elysia().use(shell).use(cards.routes)
    const call = async (path: string, { tier = 0, body, headers = {} }: Call = {}): Promise<Response> =>
      app.handle(
        new Request(`http://media${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN,
            [TIER_HEADER]: String(tier),
            'content-type': 'application/json',
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      )
    /** How many cards this process has rendered. */
    const rendered = async (): Promise<number> => {
      const found = await registryValue(metrics, 'palanquin_cards_answered_total', { source: 'renderer' })
      return found ?? 0
    }
    return { cards, call, rendered, metrics }
  }
  const first = open()
  const opened = [first]
  return {
    ...first,
    another: (start?: () => CardWorker) => {
      const more = open(start)
      opened.push(more)
      return more
    },
    ...stores,
    profiles,
    engagement,
    keys: () => stores.keys('cards/'),
    close: async () => {
      for (const { cards } of opened) await cards.part.stop()
      await server.stop(true)
      await stores.close()
    },
  }
}

export type CardHarness = Awaited<ReturnType<typeof cardHarness>>
type Call = { tier?: number; body?: unknown; headers?: Record<string, string> }

/** One value of a registry, as a scraper would see it. */
async function registryValue(
  registry: ReturnType<typeof createMetrics>,
  name: string,
  labels: Record<string, string>,
): Promise<number | undefined> {
  const metric = await registry.getSingleMetric(name)?.get()
  return metric?.values.find(({ labels: found }) =>
    Object.entries(labels).every(([label, value]) => found[label] === value),
  )?.value
}
