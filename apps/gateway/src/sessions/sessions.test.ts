import { beforeEach, expect, test } from 'bun:test'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { capturedLog } from '@palanquin/testing/captured-log'
import { type TestClock, testClock } from '@palanquin/testing/clock'
import { until } from '@palanquin/testing/until'
import type { NoSession, Session } from './session.ts'
import { Sessions } from './sessions.ts'

const DAY_MS = 86_400_000

let clock: TestClock
let sessions: Sessions
let lines: ReturnType<typeof capturedLog>['lines']
let stored: Map<string, Session | NoSession>
let changed: string[] | undefined
let lookups: string[]
let isAway: boolean
beforeEach(() => {
  clock = testClock()
  stored = new Map()
  changed = []
  lookups = []
  isAway = false
  const captured = capturedLog()
  lines = captured.lines
  sessions = new Sessions({
    service: {
      find: async (hashes) => {
        lookups.push(...hashes)
        if (isAway) throw new StoreUnavailable('list of sessions')
        return hashes.map((hash) => stored.get(hash) ?? 'unknown')
      },
      changed: async () => changed,
    },
    log: captured.log,
    nowMs: clock.now,
  })
})

function store(hash: string, over: Partial<Session> = {}): Session {
  const session: Session = {
    hash,
    kind: 'device',
    userId: 'w_1',
    tier: 0,
    countedAs: 'person:w_1',
    isStaff: false,
    expiresAtMs: clock.now() + 30 * DAY_MS,
    ...over,
  }
  stored.set(hash, session)
  return session
}
/** Follows changes as the schedule does, for some time. */
async function follow(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 400) {
    await sessions.follow()
    clock.advance(400)
  }
}

test('a session is looked up once, however many ask at once and for how long', async () => {
  const session = store('a')
  await follow(1)
  expect(await Promise.all([sessions.find('a'), sessions.find('a'), sessions.find('a')])).toEqual([
    session,
    session,
    session,
  ])
  await follow(60_000)
  expect([await sessions.find('a'), lookups]).toEqual([session, ['a']])
})

test('a session that changed is looked up again, and one with a role every second', async () => {
  store('a')
  store('staff', { isStaff: true, tier: 2 })
  await follow(1)
  for (const hash of ['a', 'staff']) await sessions.find(hash)
  stored.set('a', 'over')
  changed = ['a']
  await follow(400)
  expect(await sessions.find('a')).toBe('over')
  store('staff', { isStaff: true, tier: 0 })
  clock.advance(1_000)
  expect(await sessions.find('staff')).toMatchObject({ tier: 0 })
})

test('after a gap in which changes could be missed every session is looked up again', async () => {
  store('a')
  await follow(1)
  await sessions.find('a')
  stored.set('a', 'over')
  changed = undefined
  await follow(60_000)
  expect(await sessions.find('a')).toMatchObject({ hash: 'a' })
  changed = []
  await follow(400)
  expect(await sessions.find('a')).toBe('over')
})

test('after an hour a participant’s is looked up again, and no call waits for it', async () => {
  const session = store('a')
  await follow(1)
  await sessions.find('a')
  await follow(3_600_000)
  isAway = true
  expect(await sessions.find('a')).toBe(session)
  await until(() => lookups.length === 2, { what: 'the look-up behind it' })
})

test('without the store what is known goes on until it expires, and no role is believed', async () => {
  store('a', { expiresAtMs: clock.now() + 60_000 })
  store('staff', { isStaff: true, tier: 3 })
  await follow(1)
  for (const hash of ['a', 'staff']) await sessions.find(hash)
  isAway = true
  clock.advance(30_000)
  await sessions.follow()
  expect(await sessions.find('a')).toMatchObject({ userId: 'w_1' })
  expect([await sessions.find('staff'), await sessions.find('b')]).toEqual(['away', 'away'])
  clock.advance(30_000)
  expect(await sessions.find('a')).toBe('over')
  isAway = false
  clock.advance(1_000)
  expect(await sessions.find('staff')).toMatchObject({ tier: 3 })
  expect(lines.map(({ event }) => event)).toEqual(['sessions.unavailable', 'sessions.recovered'])
})

test('an unknown token is not looked up again for five seconds', async () => {
  for (let i = 0; i < 3; i++) expect(await sessions.find('made-up')).toBe('unknown')
  clock.advance(5_000)
  await sessions.find('made-up')
  expect(lookups).toEqual(['made-up', 'made-up'])
})
