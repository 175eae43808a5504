import { expect, describe as group, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { standard } from '../test/service-stub.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway({ statusDeadlineMs: TEST_TIMEOUT_MS })

const STATUS_DEADLINE_MS = 650

const health = async () => (await deployment.gateway.call('/health')).json()
const says = (fields: Record<string, unknown>) => () =>
  Response.json({ d1: 'ok', kv: 'ok', lastFlush: null, bufferSize: 0, activity: 'active', ...fields })

group('/health', () => {
  test('is flat, and ok when everything works', async () => {
    expect(await health()).toEqual({
      status: 'ok',
      d1: 'ok',
      kv: 'ok',
      r2: 'ok',
      last_flush: '2026-05-01T15:00:00.000Z',
      buffer_size: 7,
    })
  })

  test('is degraded when any store is in error, and names it, or the flush is overdue', async () => {
    deployment.services.tracking.replyWith(says({ d1: 'error' }))
    expect(await health()).toMatchObject({ status: 'degraded', d1: 'error', kv: 'ok', r2: 'ok' })
    deployment.services.tracking.replyWith(says({ kv: 'error' }))
    expect(await health()).toMatchObject({ status: 'degraded', d1: 'ok', kv: 'error' })
    deployment.services.tracking.replyWith(says({ flush: 'overdue' }))
    expect(await health()).toMatchObject({ status: 'degraded', d1: 'ok', kv: 'ok', r2: 'ok' })
    deployment.services.tracking.replyWith(standard)
    deployment.services.media.replyWith(() => Response.json({ r2: 'error' }))
    expect(await health()).toMatchObject({ status: 'degraded', r2: 'error' })
  })

  test('is ended even when a store is in error, and when the service that knows it is away', async () => {
    deployment.services.engagement.replyWith(says({ activity: 'ended', d1: 'error' }))
    expect(await health()).toMatchObject({ status: 'ended' })
    deployment.services.engagement.replyWith(() => new Response('broken', { status: 500 }))
    deployment.services.media.replyWith(() => Response.json({ r2: 'error' }))
    expect(await health()).toMatchObject({ status: 'ended', r2: 'error' })
    deployment.services.engagement.replyWith(says({ activity: 'active' }))
    expect(await health()).toMatchObject({ status: 'degraded' })
  })

  test('reads the database’s state from engagement, and remembers the last flush, when tracking does not answer', async () => {
    deployment.services.tracking.replyWith(says({ lastFlush: '2026-05-02T00:00:00.000Z', bufferSize: 42 }))
    await health()
    deployment.services.tracking.replyWith(() => new Response('broken', { status: 500 }))
    expect(await health()).toMatchObject({
      d1: 'ok',
      last_flush: '2026-05-02T00:00:00.000Z',
      buffer_size: 42,
    })
    deployment.services.engagement.replyWith(says({ d1: 'error' }))
    expect(await health()).toMatchObject({ d1: 'error' })
  })

  test('is 200 while every service hangs, and calls them once for many requests', async () => {
    const other = await deployment.addGateway()
    const fifty = () => Promise.all(Array.from({ length: 50 }, () => other.call('/health')))
    // Opens the connections before.
    await fifty()
    const hang = Promise.withResolvers<void>()
    let asked = 0
    for (const service of [
      deployment.services.tracking,
      deployment.services.engagement,
      deployment.services.media,
    ])
      service.replyWith(() => {
        asked++
        return hang.promise.then(() => new Response())
      })
    const startedMs = performance.now()
    const answers = await fifty()
    const readings = Math.ceil((performance.now() - startedMs) / STATUS_DEADLINE_MS)
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await answers[0]?.json()).toMatchObject({ status: 'degraded', d1: 'error', r2: 'error' })
    // Fifty requests that take longer to arrive than one reading begin another.
    expect(asked).toBeLessThanOrEqual(3 * readings)
    // On a busy machine Redis may be late for one.
    const state = await until(
      async () => {
        const said = JSON.parse(await (await other.call('/health')).text())
        return said.kv === 'ok' && asked >= 3 && said
      },
      { what: 'Redis answers in time, and every service is asked' },
    )
    expect(state).toMatchObject({ status: 'degraded', d1: 'error', r2: 'error' })
    hang.resolve()
  })
})

group('/ready', () => {
  test('is 200 with every part, without their details', async () => {
    const answer = await deployment.gateway.call('/ready')
    const text = await answer.text()
    expect([answer.status, JSON.parse(text).ok]).toEqual([200, true])
    expect(Object.keys(JSON.parse(text).parts).sort()).toEqual([
      'engagement',
      'lineBot',
      'map',
      'media',
      'redis',
      'tracking',
    ])
    expect(text).not.toContain('secret-host')
  })

  test('passes on the notes of services, such as that LINE is not configured', async () => {
    const line = { ok: true, note: 'LINE is not configured' }
    deployment.services.lineBot.replyWith(() => Response.json({ ok: true, parts: { line } }))
    expect(await (await deployment.gateway.call('/ready')).json()).toMatchObject({
      parts: { lineBot: { ok: true, parts: { line } } },
    })
  })

  test('is 503 when a service is not ready or does not answer', async () => {
    deployment.services.media.replyWith(() =>
      Response.json(
        { ok: false, parts: { objectStore: { ok: false, detail: 'secret-host' } } },
        { status: 503 },
      ),
    )
    const answer = await deployment.gateway.call('/ready')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({
      ok: false,
      parts: { media: { ok: false, parts: { objectStore: { ok: false } } } },
    })
    expect(text).not.toContain('secret-host')
    await deployment.services.lineBot.kill()
    expect(await (await deployment.gateway.call('/ready')).json()).toMatchObject({
      parts: { lineBot: { ok: false } },
    })
    deployment.services.lineBot.restart()
  })
})
