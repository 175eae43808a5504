import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@palanquin/domain/events'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'
import { auditActions } from './consume.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test("an administrator's action elsewhere is audited once, at its time, however often the event comes", async () => {
  const event: DomainEvent<'admin.acted'> = {
    id: randomUUID(),
    type: 'admin.acted',
    at: '2026-05-01T15:00:00.250Z',
    data: {
      action: 'push.sent',
      by: 'manager',
      detail: { pushId: 'p1', recipients: 3, to: ["o'clock", null] },
    },
  }
  const note = auditActions(service.db)
  await Promise.all(Array.from({ length: 5 }, () => note(event)))
  await note(event)
  await note({ ...event, id: randomUUID(), data: { action: 'rich-menu.deployed', by: 'owner', detail: {} } })
  expect([...(await service.sql`SELECT at, type, by, detail FROM engagement.audit ORDER BY id`)]).toEqual([
    { at: new Date(event.at), type: 'push.sent', by: 'manager', detail: event.data.detail },
    { at: new Date(event.at), type: 'rich-menu.deployed', by: 'owner', detail: {} },
  ])
})
