import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@palanquin/domain/events'
import { HANG_MS } from '@palanquin/testing/hang'
import { type Stand, startStand } from '../../test/stand.ts'
import { noteActions } from './consume.ts'

setDefaultTimeout(HANG_MS)

let stand: Stand
beforeAll(async () => {
  stand = await startStand()
})
afterAll(() => stand.close())

test('what an administrator did elsewhere is noted once, at its time, however often it is told', async () => {
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
  const note = noteActions(stand.db)
  await Promise.all(Array.from({ length: 5 }, () => note(event)))
  await note(event)
  await note({ ...event, id: randomUUID(), data: { action: 'rich-menu.deployed', by: 'owner', detail: {} } })
  expect([...(await stand.sql`SELECT at, type, by, detail FROM engagement.audit ORDER BY id`)]).toEqual([
    { at: new Date(event.at), type: 'push.sent', by: 'manager', detail: event.data.detail },
    { at: new Date(event.at), type: 'rich-menu.deployed', by: 'owner', detail: {} },
  ])
})
