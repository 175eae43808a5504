import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type CardHarness, cardHarness } from '../../test/card-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let harness: CardHarness
beforeAll(async () => {
  harness = await cardHarness()
})
afterAll(() => harness.close())

const PNG = [0x89, 0x50, 0x4e, 0x47]
type Made = { data: { userId: string; url: string; shareUrl: string; etag: string; generatedAt: string } }
const made = async (answer: Response): Promise<Made['data']> => ((await answer.json()) as Made).data

test('the first request renders the card: a PNG of 1200 × 630 with a strong ETag, cached for five minutes', async () => {
  harness.profiles.set('first', {})
  const answer = await harness.call('/og/first.png')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('image/png')
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
  expect(answer.headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/)
  const bytes = new DataView(await answer.arrayBuffer())
  expect(PNG.every((byte, index) => bytes.getUint8(index) === byte)).toBe(true)
  expect([bytes.getUint32(16), bytes.getUint32(20)]).toEqual([1200, 630])
})

test('a client that has the card gets 304 with its ETag and no body, one with another card gets it', async () => {
  harness.profiles.set('again', {})
  const etag = (await harness.call('/og/again.png')).headers.get('etag') ?? ''
  for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await harness.call('/og/again.png', { headers: { 'if-none-match': given } })
    expect({ given, status: answer.status, body: (await answer.arrayBuffer()).byteLength }).toEqual({
      given,
      status: 304,
      body: 0,
    })
    expect(answer.headers.get('etag')).toBe(etag)
  }
  expect((await harness.call('/og/again.png', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
})

test('an unknown participant is 404 as JSON, and nothing is rendered', async () => {
  const before = await harness.keys()
  for (const answer of [
    await harness.call('/og/unknown.png'),
    await harness.call('/og-image', { body: { userId: 'unknown' } }),
  ]) {
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error: expect.any(String) })
  }
  expect(await harness.keys()).toEqual(before)
})

test('POST /og-image renders the card once, then returns the same one, with a path from configuration', async () => {
  harness.profiles.set('posted', {})
  const first = await made(
    await harness.call('/og-image', { body: { user_id: 'posted' }, headers: { host: 'evil.example' } }),
  )
  const second = await made(await harness.call('/og-image', { body: { userId: 'posted' } }))
  expect(second).toEqual(first)
  expect(first).toMatchObject({ userId: 'posted', url: '/api/event/og/posted.png' })
  expect((await harness.call('/og/posted.png')).headers.get('etag')).toBe(first.etag)
})

test('for an administrator it is rendered again each time, and the act is published', async () => {
  harness.profiles.set('anew', {})
  const first = await made(await harness.call('/og-image', { body: { userId: 'anew' }, tier: 1 }))
  const rendered = await harness.rendered()
  const second = await made(await harness.call('/og-image', { body: { userId: 'anew' }, tier: 2 }))
  const third = await made(await harness.call('/og-image', { body: { userId: 'anew' }, tier: 3 }))
  expect(await harness.rendered()).toBe(rendered + 2)
  expect(second.generatedAt > first.generatedAt && third.generatedAt > second.generatedAt).toBe(true)
  const events = await harness.sql`SELECT type, data FROM media.outbox ORDER BY seq`
  expect(events.map(({ type, data }) => [type, data.action, data.by])).toEqual([
    ['admin.acted', 'card.made-anew', 'manager'],
    ['admin.acted', 'card.made-anew', 'owner'],
  ])
  expect(JSON.stringify(events)).not.toContain('"anew"')
})

test('other figures, another name or language are another card; what a card does not show changes nothing', async () => {
  harness.profiles.set('changes', { km: 20, checkins: 6 })
  const seen = new Set<string>()
  const look = async () => seen.add((await harness.call('/og/changes.png')).headers.get('etag') ?? '')
  await look()
  for (const facts of [
    { km: 20, checkins: 7 },
    { km: 21, checkins: 7 },
    { km: 21, checkins: 7, name: '陳阿伯' },
    { km: 21, checkins: 7, name: '陳阿伯', language: 'en' as const },
    { km: 21, checkins: 7, name: '陳阿伯', language: 'en' as const, unlocked: true },
  ]) {
    harness.profiles.set('changes', facts)
    await look()
  }
  expect(seen.size).toBe(6)
  const rendered = await harness.rendered()
  harness.profiles.set('changes', { km: 21.004, checkins: 7, name: '陳阿伯', language: 'en', unlocked: true })
  await look()
  expect(seen.size).toBe(6)
  expect(await harness.rendered()).toBe(rendered)
})

test('links begin with PUBLIC_BASE_URL where it is set', async () => {
  const public_ = await cardHarness({ baseUrl: 'https://walk.example/' })
  public_.profiles.set('linked', {})
  const { url, shareUrl } = await made(await public_.call('/og-image', { body: { userId: 'linked' } }))
  expect(url).toBe('https://walk.example/api/event/og/linked.png')
  expect(shareUrl).toMatch(/^https:\/\/walk\.example\/c\/[A-Za-z0-9_-]{22}$/)
  await public_.close()
})

test('a card is shared at an address that does not say whose it is, the same every time', async () => {
  for (const who of ['shared', 'unshared']) harness.profiles.set(who, { km: 20, checkins: 6, name: '阿明' })
  const share = async () =>
    (await made(await harness.call('/og-image', { body: { userId: 'shared' } }))).shareUrl
  const shareUrl = await share()
  expect(shareUrl).toMatch(/^\/c\/[A-Za-z0-9_-]{22}$/)
  expect(await Promise.all([share(), share()])).toEqual([shareUrl, shareUrl])
  const picture = await harness.call(`${shareUrl}.png`)
  const og = await harness.call('/og/shared.png')
  expect(picture.headers.get('etag')).toBe(og.headers.get('etag'))
  expect(await picture.bytes()).toEqual(await og.bytes())
  expect([...picture.headers].flat().join()).not.toContain('shared')
  const same = await harness.call(`${shareUrl}.png`, {
    headers: { 'if-none-match': og.headers.get('etag') ?? '' },
  })
  expect(same.status).toBe(304)
  const facts = await harness.call(`/internal/card-shares/${shareUrl.slice('/c/'.length)}`)
  expect(await facts.json()).toEqual({ ok: true, data: { name: '阿明', km: 20, checkins: 6, level: 2 } })
  for (const path of ['/c/unknown.png', '/c/shared.png', '/internal/card-shares/unknown'])
    expect((await harness.call(path)).status).toBe(404)
  harness.profiles.delete('shared')
  expect((await harness.call(`${shareUrl}.png`)).status).toBe(404)
})

test('the chat gets the same address for a participant', async () => {
  harness.profiles.set('chatting', {})
  const given = await harness.call('/internal/card-shares', { body: { userId: 'chatting' } })
  const { data } = (await given.json()) as { data: { shareId: string } }
  const { shareUrl } = await made(await harness.call('/og-image', { body: { userId: 'chatting' } }))
  expect(shareUrl).toBe(`/c/${data.shareId}`)
})
