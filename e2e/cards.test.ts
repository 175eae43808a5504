import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dataOf } from '@palanquin/stack/api'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { serviceOf } from '@palanquin/stack/units/copies'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { fetchPatiently } from './fetch-patiently.ts'
import { kill } from './kill.ts'
import { makeCard } from './make-card.ts'

const PARTICIPANTS = Array.from({ length: 16 }, (_, index) => `pilgrim-${index}`)
/** The card at which the test stops the service, somewhere in the middle. */
const HELD_AT = 6
const ADVISORY_LOCK = 20_260_412
/** A busy machine restarts a service and its threads slowly. */
const ANSWERS = { q1: [], q2: [], q3: {}, q4: [], q5: 0, q6: 'mixed', q7: 0, q8: 0, q9: 0 }
const CardMade = Type.Object({ url: Type.String(), etag: Type.String(), generatedAt: Type.String() })

let stack: ThrowawayStack
beforeAll(async () => {
  // No scheduled flush, so that the one at the end unlocks every achievement.
  stack = await startThrowawayStack({ FLUSH_SCHEDULE: '0 0 1 1 *', CARD_WORKERS: '1' })
})
afterAll(() => stack.close())

const checkIn = async (userId: string, place: number) =>
  expect((await stack.api.post('/checkin', { userId, lat: 24.3 + place / 100, lng: 120.6 })).status).toBe(202)
const browse = (path: string, init: RequestInit = {}) =>
  fetchPatiently(stack.running().url + path, {
    ...init,
    tls: { ca: readFileSync(stack.running().caFile, 'utf8') },
  })

test('a card is shown, cached by its ETag, and replaced after the next check-in; also of a withdrawn participant', async () => {
  const path = '/api/event/og/sharer.png'
  expect((await browse(path)).status).toBe(404)
  await stack.api.post('/user/sync', { userId: 'sharer', displayName: '林媽媽 🏮' })
  const first = await browse(path)
  const etag = first.headers.get('etag') ?? ''
  const bytes = (await first.arrayBuffer()).byteLength
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(first.headers.get('cache-control')).toBe('public, max-age=300')
  const head = await browse(path, { method: 'HEAD' })
  expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
    200,
    etag,
    String(bytes),
  ])
  const asked = { headers: { 'if-none-match': etag } }
  expect((await browse(path, asked)).status).toBe(304)

  await checkIn('sharer', 0)
  const changed = await until(
    async () => {
      const answer = await browse(path, asked)
      return answer.status === 200 && answer.headers.get('etag')
    },
    { what: 'another card after the check-in' },
  )
  const card = dataOf(CardMade, await makeCard(stack.api, { user_id: 'sharer' }))
  expect(card).toMatchObject({ etag: changed, url: expect.stringMatching(/\/api\/event\/og\/sharer\.png$/) })
  const replaced = await makeCard(stack.api, { userId: 'sharer' }, stack.api.as('manager'))
  expect(dataOf(CardMade, replaced).generatedAt > card.generatedAt).toBe(true)
  await stack.api.post('/participant-status', { userId: 'sharer', status: 'withdrawn' })
  expect((await browse(path, { headers: { 'if-none-match': changed } })).status).toBe(304)
})

/** Records every stored card, and stops the service at one of them until the test releases it. */
const witness = () =>
  stack.sql.unsafe(`
    CREATE TABLE public.cards_made (user_id text);
    CREATE FUNCTION public.card_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      INSERT INTO public.cards_made VALUES (NEW.user_id);
      IF (SELECT count(*) FROM public.cards_made) >= ${HELD_AT} THEN
        PERFORM pg_advisory_xact_lock_shared(${ADVISORY_LOCK});
      END IF;
      RETURN NEW; END $$;
    CREATE TRIGGER card_made AFTER INSERT OR UPDATE ON media.cards
      FOR EACH ROW EXECUTE FUNCTION public.card_made()`)

const made = async () => (await stack.sql`SELECT user_id FROM public.cards_made`).map((row) => row.user_id)

test(
  'at the end the cards of all unlocked participants are made, each once, through a kill -9 in the middle',
  async () => {
    for (const userId of PARTICIPANTS) {
      const survey = { userId, answers: ANSWERS, phone: '0912-345-678' }
      expect((await stack.api.post('/submit', survey)).status).toBe(200)
      for (const place of [0, 1, 2]) await checkIn(userId, place)
    }
    await witness()
    const holder = await stack.sql.reserve()
    await holder`SELECT pg_advisory_lock(${ADVISORY_LOCK})`
    expect((await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))).status).toBe(200)
    await until(
      async () => (await holder`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`).length > 0,
      { what: 'a card that is about to stand' },
    )
    const restarted = kill(stack, 'media')
    // PostgreSQL finishes its statement: those cards are stored, but not acknowledged.
    await holder`SELECT pg_advisory_unlock(${ADVISORY_LOCK})`
    holder.release()
    await restarted()
    await until(
      async () => {
        // The killed process's lease expires after half a minute; the test shortens that.
        await stack.sql`UPDATE media.card_orders SET leased_until = '-infinity'`
        return (await stack.sql`SELECT FROM media.card_orders`).length === 0 && (await made()).length > 0
      },
      { what: 'the rest of the cards' },
    )
    expect((await made()).toSorted()).toEqual(PARTICIPANTS.toSorted())

    for (const userId of PARTICIPANTS) expect((await browse(`/api/event/og/${userId}.png`)).status).toBe(200)
    expect((await made()).length).toBe(PARTICIPANTS.length) // the cards made in advance are the ones shown
    const copies = Object.entries(stack.running().services).filter(([name]) => serviceOf(name) === 'media')
    const card = copies.map(async ([, { metricsUrl }]) => (await fetch(metricsUrl)).text())
    const metrics = (await Promise.all(card)).join('\n')
    expect(metrics).toMatch(/^palanquin_card_orders_left(?:\{.*\})? 0$/m)
    expect(metrics).toMatch(/^palanquin_card_orders_done_total\{.*outcome="made".*\} [1-9]/m)
    const logs = copies.map(([name]) => readFileSync(stack.home.logFile(name), 'utf8'))
    expect(logs.join()).toContain('"event":"pre_rendering.completed"')
  },
  TEST_TIMEOUT_MS,
)
