import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { until } from '@palanquin/testing/until'
import { type LineStub, testLine } from './stub.ts'

let line: LineStub
let userId: string
beforeEach(() => {
  line = testLine()
  userId = line.control.people.add().userId
})
afterEach(() => line.close())

async function push(
  key: string = randomUUID(),
  signal: AbortSignal = AbortSignal.timeout(300_000),
): Promise<number | 'cut' | 'timeout'> {
  try {
    const answer = await fetch(`${line.apiBase}/v2/bot/message/push`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${line.channelAccessToken}`,
        'content-type': 'application/json',
        'x-line-retry-key': key,
      },
      body: JSON.stringify({ to: userId, messages: [{ type: 'text', text: 'hi' }] }),
      signal,
    })
    await answer.bytes()
    return answer.status
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'cut'
  }
}
const arrived = () => line.control.deliveries.received(userId).length

for (const [kind, seen, accepted] of [
  ['error', 500, false],
  ['error-after', 500, true],
  ['rate', 429, false],
  ['quota', 429, false],
  ['reset', 'cut', false],
  ['reset-after', 'cut', true],
] as const)
  test(`${kind}: the client sees ${seen}, and a retry with the same key ends with exactly one message`, async () => {
    line.control.faults.order({ kind, at: 'push' })
    const key = randomUUID()
    expect(await push(key)).toBe(seen)
    expect(arrived()).toBe(accepted ? 1 : 0)
    expect(await push(key)).toBe(accepted ? 409 : 200)
    expect(arrived()).toBe(1)
  })

for (const [kind, accepted] of [
  ['hang', false],
  ['hang-after', true],
] as const)
  test(`${kind}: no answer comes until the client gives up`, async () => {
    line.control.faults.order({ kind, at: 'push' })
    const giveUp = new AbortController()
    const answer = push(randomUUID(), giveUp.signal)
    await until(() => line.control.faults.happened().length > 0 && arrived() === (accepted ? 1 : 0), {
      what: 'the push to hang',
    })
    setTimeout(() => giveUp.abort(new DOMException('', 'TimeoutError')), 1_000)
    expect(await answer).toBe('timeout')
    expect(arrived()).toBe(accepted ? 1 : 0)
  })

test('slow: the right answer comes late', async () => {
  line.control.faults.order({ kind: 'slow', delayMs: 120 })
  const startedMs = performance.now()
  expect(await push()).toBe(200)
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(119)
})

test('faults hit the ordered endpoint, after the ordered calls, the ordered number of times', async () => {
  line.control.faults.order({ kind: 'error', at: 'multicast' })
  line.control.faults.order({ kind: 'error', at: 'push', after: 1, times: 2 })
  const statuses = []
  for (let call = 0; call < 5; call++) statuses.push(await push())
  expect(statuses).toEqual([200, 500, 500, 200, 200])
  expect(line.control.faults.happened().map(({ at }) => at)).toEqual(['push', 'push'])
})

test('a share of calls is hit the same way for the same seed', async () => {
  const run = async () => {
    await line.close()
    line = testLine({ seed: 7 })
    userId = line.control.people.add().userId
    line.control.faults.order({ kind: 'error', chance: 0.5, times: Number.POSITIVE_INFINITY })
    const statuses = []
    for (let call = 0; call < 20; call++) statuses.push(await push())
    return statuses
  }
  const first = await run()
  expect(await run()).toEqual(first)
  expect(new Set(first)).toEqual(new Set([200, 500]))
})
