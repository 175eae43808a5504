import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ACTOR_HEADER } from '@palanquin/service/http/headers'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const ANNA = 'U-anna'
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const asAnna = { [ACTOR_HEADER]: ANNA }
type Event = { type: string; by: string }
const events = async (tier: 1 | 2): Promise<Event[]> =>
  ((await service.data('/admin/timeline', { tier })) as unknown as { events: Event[] }).events

test('the audit names who is signed in, and the role of a token that belongs to no person', async () => {
  const pause = { method: 'PUT', tier: 2, headers: asAnna, body: { status: 'paused' } } as const
  expect(await service.data('/admin/status', pause)).toMatchObject({ by: ANNA })
  await service.data('/admin/status', { method: 'PUT', tier: 2, body: { status: 'active' } })
  await service.data('/admin/roles', {
    tier: 2,
    headers: asAnna,
    body: { userId: 'U-bo', role: 'volunteer' },
  })
  const { id } = await service.data('/feedback', { body: { category: 'bug', message: 'x' } })
  await service.data(`/feedback/${id}`, {
    method: 'PATCH',
    tier: 2,
    headers: asAnna,
    body: { status: 'in_progress' },
  })
  expect((await events(2)).map(({ type, by }) => `${type} ${by}`).toSorted()).toEqual([
    'activity.changed U-anna',
    'activity.changed manager',
    'feedback.answered U-anna',
    'role.given U-anna',
  ])
  const { items } = await service.data('/admin/roles', { tier: 2 })
  expect(items).toMatchObject([{ userId: 'U-bo', givenBy: ANNA }])
})

test('a volunteer sees what was done, and not which person did it', async () => {
  await service.data('/admin/status', { method: 'PUT', tier: 2, headers: asAnna, body: { status: 'paused' } })
  expect(await service.data('/admin/status', { tier: 1 })).toMatchObject({ by: 'administrator' })
  expect(new Set((await events(1)).map(({ by }) => by))).toEqual(new Set(['administrator', 'manager']))
})

test('an administrator who is erased is named nowhere, and what was done stays known', async () => {
  const before = (await events(2)).length
  await service.data(`/user/${ANNA}`, { method: 'DELETE', tier: 3 })
  expect((await events(2)).length).toBe(before + 1)
  const stored = await service.sql`
    SELECT by FROM engagement.audit UNION ALL SELECT by FROM engagement.activity
    UNION ALL SELECT given_by FROM engagement.roles UNION ALL SELECT data::text FROM engagement.outbox`
  expect(stored.length).toBeGreaterThan(before)
  expect(JSON.stringify(stored)).not.toContain(ANNA)
  expect(await service.data('/admin/status', { tier: 2 })).toMatchObject({ by: 'erased' })
})
