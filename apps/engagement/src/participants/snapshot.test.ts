import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { checkRows } from '@palanquin/db/rows'
import { shardOf } from '@palanquin/domain/ids'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { bufferOf } from '../../test/buffer.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS } from '../../test/survey.ts'
import { SNAPSHOTS, SNAPSHOTS_WITHOUT_PENDING, SnapshotRow } from './snapshot-sql.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('rows of both snapshot statements have exactly the columns of their schema, empty or full', async () => {
  const userIds = ['empty', 'full']
  for (const userId of userIds) {
    await service.data('/user/sync', { body: { userId } })
    const buffer = bufferOf(service, userId)
    await buffer.checkin()
    await buffer.flush(1)
  }
  const userId = 'full'
  await service.data('/user/sync', {
    body: { userId, displayName: 'A', pictureUrl: 'https://example.org/a' },
  })
  await service.data('/submit', { body: { userId, answers: ANSWERS, phone: '0912345678' } })
  await service.data('/admin/roles', { body: { userId, role: 'volunteer' }, tier: 3 })
  const shards = userIds.map(shardOf)
  const pending = [['full'], ['9999999999999-0'], ['2026-05-01T00:00:00Z']]
  const results = [
    await service.db.query(SNAPSHOTS, [userIds, shards, ...pending]),
    await service.db.query(SNAPSHOTS_WITHOUT_PENDING, [userIds, shards]),
  ]
  for (const rows of results) {
    const checked = checkRows(SnapshotRow, rows)
    expect(checked.map(({ user_id, role }) => [user_id, role]).toSorted()).toEqual([
      ['empty', null],
      ['full', 'volunteer'],
    ])
    for (const row of checked)
      expect(Object.keys(row).toSorted()).toEqual(Object.keys(SnapshotRow.properties).toSorted())
  }
})
