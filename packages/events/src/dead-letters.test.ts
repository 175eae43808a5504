import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { createMetrics } from '@palanquin/service/metrics'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { EFFECT, event, silentLog, type TestBus, testBus } from '../test/bus.ts'
import { consume } from './consume.ts'
import { discardDeadLetter, listDeadLetters, requeueDeadLetter } from './dead-letters.ts'
import { applyOnce } from './once.ts'
import { publish } from './publish.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
let healthy = false
beforeEach(async () => {
  healthy = false
  bus = await testBus()
})
afterEach(() => bus.close())

/** `readers` fail until they are healthy; `others` never do. Both keep what they have handled. */
const handled: Record<string, string[]> = { readers: [], others: [] }
function runGroups(metrics = createMetrics('test')) {
  for (const group of ['readers', 'others']) {
    handled[group] = []
    bus.run(
      consume({
        redis: bus.redis,
        blocking: bus.connect({ blocking: true }),
        group,
        consumer: 'one',
        claimIdleMs: 30,
        log: silentLog,
        metrics,
        handlers: {
          'achievement.unlocked': async ({ id }) => {
            if (group === 'readers' && !healthy) throw new Error(`cannot\ndigest ${'x'.repeat(2_000)}`)
            if (group === 'readers')
              await applyOnce(bus.db, { schema: 'engagement', eventId: id, effects: [EFFECT] })
            handled[group]?.push(id)
          },
        },
      }),
    )
  }
}

async function killed(...names: string[]) {
  const events = names.map(event)
  for (const one of events) await publish(bus.redis, one)
  runGroups()
  return until(
    async () => {
      const { letters } = await listDeadLetters(bus.redis)
      return letters.length === names.length && letters
    },
    { what: 'the dead letters' },
  )
}

test('a group shows its dead letters as 0 before the first, which then is an increase of one', async () => {
  const metrics = createMetrics('test')
  const dead = async (group: string) =>
    new RegExp(`^palanquin_dead_letters_total\\{stream="events",group="${group}",.*\\} (\\d+)$`, 'm').exec(
      await metrics.metrics(),
    )?.[1]
  runGroups(metrics)
  expect([await dead('readers'), await dead('others')]).toEqual(['0', '0'])
  await publish(bus.redis, event('participant'))
  await until(async () => (await dead('readers')) === '1', { what: 'the dead letter to be counted' })
  expect(await dead('others')).toBe('0')
})

test('a requeued letter keeps its id, goes to the group that failed alone, and has its effect once', async () => {
  const [letter] = await killed('participant')
  const id = letter?.event.id ?? ''
  healthy = true
  expect(await requeueDeadLetter(bus.redis, letter?.letterId ?? '')).toBe(true)
  await until(async () => (await bus.effects()).get(id) === 1, { what: 'the effect' })
  await until(() => (handled.others?.length ?? 0) > 0, { what: 'the handling of the others' })
  expect(handled.others).toEqual([id])
  expect((await listDeadLetters(bus.redis)).letters).toEqual([])
  expect(await requeueDeadLetter(bus.redis, letter?.letterId ?? '')).toBe(false)
})

test('a requeued letter that fails again gets five tries more, and then lies with the dead again', async () => {
  const [letter] = await killed('participant')
  await requeueDeadLetter(bus.redis, letter?.letterId ?? '')
  const [again] = await until(
    async () => {
      const { letters } = await listDeadLetters(bus.redis)
      return letters.length > 0 && letters
    },
    { what: 'the letter to come back' },
  )
  expect(again).toMatchObject({ group: 'readers', attempts: 5, event: letter?.event })
})

test('letters are listed in pages, with an error that is cut to a length one can read', async () => {
  await killed('a', 'b', 'c')
  const first = await listDeadLetters(bus.redis, { limit: 2 })
  const second = await listDeadLetters(bus.redis, { limit: 2, after: first.next ?? '' })
  expect([first.letters.length, second.letters.length, second.next]).toEqual([2, 1, null])
  expect(first.letters[0]?.error.length).toBeLessThanOrEqual(500)
})

test('a discarded letter is gone', async () => {
  const [letter] = await killed('participant')
  expect(await discardDeadLetter(bus.redis, letter?.letterId ?? '')).toBe(true)
  expect((await listDeadLetters(bus.redis)).letters).toEqual([])
})

test('the command lists one line a letter without personal data, shows one whole, and puts all back', async () => {
  const letters = await killed('participant', 'other')
  const command = async (...args: string[]) => {
    const script = fileURLToPath(new URL('./dead-letters-cli.ts', import.meta.url))
    const child = Bun.spawn([process.execPath, script, ...args], {
      env: { ...process.env, REDIS_URL: bus.server.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const text = (await child.stdout.text()) + (await child.stderr.text())
    return { code: await child.exited, lines: text.trim().split('\n'), text }
  }
  const list = await command('list')
  expect([list.code, list.lines.length, list.lines.at(-1)]).toEqual([0, 3, '2 dead letters.'])
  expect(list.text).not.toContain('participant')
  expect((await command('show', letters[0]?.letterId ?? '')).text).toContain('participant')
  expect(await command('requeue', '1-1')).toMatchObject({ code: 1 })
  expect(await command()).toMatchObject({ code: 2 })
  healthy = true
  expect(await command('requeue', 'all')).toMatchObject({
    code: 0,
    lines: ['2 dead letters put back in the stream.'],
  })
  await until(async () => (await bus.effects()).size === 2, { what: 'both effects' })
})
