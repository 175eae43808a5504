import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type TestPush, testPush } from '../../test/push-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const SENDER = fileURLToPath(new URL('../../test/sender-process.ts', import.meta.url))
const PEOPLE = 10_000
const KILLS = 6
const SEED = 7

let harness: TestPush
const running: Bun.Subprocess[] = []
beforeAll(async () => {
  harness = await testPush({ sends: false, seed: SEED })
})
afterAll(async () => {
  for (const sender of running) sender.kill('SIGKILL')
  await harness.close()
})

const start = (): Bun.Subprocess => {
  const sender = Bun.spawn([process.execPath, 'run', SENDER], {
    env: { ...process.env, ...harness.stub.environment, DATABASE_URL: harness.databaseUrl },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  running.push(sender)
  return sender
}

test('10,000 people get exactly one message each through kill -9, 429s, 500s after accepting, cut connections and hangs', async () => {
  await harness.friends(PEOPLE)
  const { control } = harness.stub
  const multicasts = () => control.calls().filter(({ endpoint }) => endpoint === 'multicast').length
  // As many as there are chunks, so that each of them happens.
  control.faults.order({ kind: 'hang-after', at: 'multicast', times: 2 })
  control.faults.order({ kind: 'error-after', at: 'multicast', times: 7 })
  control.faults.order({ kind: 'rate', at: 'multicast', times: 5 })
  control.faults.order({ kind: 'reset-after', at: 'multicast', times: 2 })
  control.faults.order({ kind: 'error', at: 'multicast', times: 3 })
  control.faults.order({ kind: 'hang', at: 'multicast', times: 1 })
  const { body } = await harness.call('POST', '/push', { to: 'all', text: '起駕！' })
  expect(body.data?.recipients).toBe(PEOPLE)

  const random = seededRandom(SEED)
  // Two copies share the work, and one of them dies again and again somewhere between taking a chunk and settling it.
  start()
  for (let kill = 0; kill < KILLS; kill++) {
    const sender = start()
    const enough = multicasts() + 1 + Math.floor(random.next() * 3)
    await until(
      async () =>
        multicasts() >= enough ||
        (await harness.call('GET', `/push/${String(body.data?.pushId)}`)).body.data?.finishedAt,
      { what: 'some calls of LINE' },
    )
    sender.kill('SIGKILL')
    await sender.exited
  }
  start()
  expect(await harness.finished(body.data?.pushId)).toMatchObject({
    state: 'sent',
    sent: PEOPLE,
    failed: 0,
    blocked: 0,
  })
  const deliveries = control.deliveries.all()
  expect(new Set(deliveries.map(({ to }) => to)).size).toBe(PEOPLE)
  expect(deliveries).toHaveLength(PEOPLE)
  // The faults did happen, and requests were repeated with retry keys that LINE knew.
  expect(new Set(control.faults.happened().map(({ kind }) => kind)).size).toBe(6)
  expect(control.calls().some(({ status }) => status === 409)).toBe(true)
})
