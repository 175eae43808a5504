import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ALONE, readAnswers, writeCalls } from '@palanquin/service/http/batch'
import { type Service, type Stores, stores, TOKEN, tracking } from '../../test/harness.ts'
import { SYNCS_PATH } from './batch.ts'

setDefaultTimeout(60_000) // real servers on a busy machine

let given: Stores
let service: Service
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
})
afterAll(async () => {
  await service.close()
  await given.close()
})

async function batch(...bodies: string[]) {
  const answer = await service.app.fetch(
    new Request(`http://tracking.internal${SYNCS_PATH}`, {
      method: 'POST',
      headers: { 'x-internal-token': TOKEN, 'content-type': 'text/plain' },
      body: writeCalls(bodies.map((json, at) => ({ requestId: `r-${at}`, json }))),
    }),
  )
  expect(answer.status).toBe(200)
  return (readAnswers(await answer.text(), bodies.length) ?? []).map((one) => {
    if (one === ALONE) throw new Error('a sync is not sent twice')
    return { status: one.status, ...JSON.parse(one.json) }
  })
}
const start = Date.now() - 600_000
const syncOf = (userId: string, minutes: readonly number[]) =>
  JSON.stringify({
    userId,
    points: minutes.map((minute) => ({ lat: 24.1, lng: 120.6, recordedAt: start + minute * 60_000 })),
  })

test('each sync of a batch is judged and answered for itself, and those of one participant know each other', async () => {
  const answers = await batch(
    syncOf('one', [0, 1, 2]),
    '{"userId":"two","points":[]}',
    'no json at all',
    '{"line_user_id":"three","points":[{"lat":24,"lng":120,"timestamp":1},null]}',
    syncOf('one', [2, 3]),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 200, 200])
  expect(answers[1]).toMatchObject({ error: expect.stringMatching(/^points/), requestId: 'r-1' })
  expect(answers[3].data.rejected).toEqual([
    { index: 0, reason: 'too_old' },
    { index: 1, reason: 'invalid' },
  ])
  const buffered = answers[0].data.buffered + answers[4].data.buffered
  expect([buffered, answers[0].data.duplicates + answers[4].data.duplicates]).toEqual([4, 1])
  await service.post('/internal/flush')
  const [row] = await given.sql`SELECT count(*)::int AS points FROM tracking.points WHERE user_id = 'one'`
  expect(row?.points).toBe(4)
})
