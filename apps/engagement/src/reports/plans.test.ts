import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Parameter } from '@palanquin/db/client'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { seedParticipants } from '../../test/seed-participants.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { findStatement } from '../find/sql.ts'
import { NAMED_LATE } from '../linking/sql.ts'
import { SNAPSHOTS, SNAPSHOTS_WITHOUT_PENDING } from '../participants/snapshot-sql.ts'
import { orderOf, SORTS } from './participants/order.ts'
import { type PageQuery, pageStatement } from './participants/page-sql.ts'
import { SURVEY_PAGE } from './surveys/list.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** A third of the crowd that was measured: the plans are the same, and the test takes seconds. */
const PARTICIPANTS = 100_000
/** A page of 101 may skip some rows of its index, and never a part of the crowd. */
const ROWS_OF_A_PAGE_MAX = 5_000

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await seedParticipants(service.sql, PARTICIPANTS)
})
afterAll(() => service.close())

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

const isTexts = (value: Parameter): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** What a statement really did: which tables it went through from end to end. */
async function explain(text: string, parameters: readonly (string | number | string[] | number[])[]) {
  const [row] = await service.sql.unsafe<{ 'QUERY PLAN': { Plan: Node }[] }[]>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    [...parameters],
  )
  const nodes = row?.['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)) ?? []
  const read = nodes.filter((node) => node['Relation Name'] && node['Actual Loops'] > 0)
  return {
    scanned: read.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']),
    rows: read.reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    ),
  }
}

const page = async (
  sort: string,
  { filter = {}, after = null }: Partial<Pick<PageQuery, 'filter' | 'after'>>,
) => {
  const order = orderOf(sort)
  if (!order) throw new Error(`no order is called ${sort}`)
  const { name, isDescending } = order
  const keys = pageStatement(
    { filter, order: name, isDescending, after, count: 101, unregistered: [] },
    'total',
  )
  const parameters = keys.parameters.map((value) =>
    typeof value === 'number' || isTexts(value) ? value : String(value),
  )
  const found = await service.sql.unsafe<{ key: string; userId: string }[]>(keys.text, parameters)
  return { found, ...(await explain(keys.text, parameters)) }
}

for (const sort of SORTS)
  test(`the order ${sort} uses an index, on the first page and after any position`, async () => {
    const first = await page(sort, {})
    expect(first.found).toHaveLength(101)
    const last = first.found.at(-1)
    const next = await page(sort, { after: last ? { key: last.key, userId: last.userId } : null })
    for (const { scanned, rows } of [first, next]) {
      expect(scanned).toEqual([])
      expect(rows).toBeLessThan(ROWS_OF_A_PAGE_MAX)
    }
  })

test('each filter and search uses an index', async () => {
  const expected: [PageQuery['filter'], number][] = [
    [{ status: 'withdrawn' }, 1_000],
    [{ status: 'active' }, 1_000],
    [{ level: 1 }, 20_000],
    [{ q: 'U12ab' }, 1_000],
    [{ q: '0912 345' }, 5_000],
    [{ q: 'amy chen1' }, 10_000],
    [{ q: '媽祖婆大甲29' }, 20_000],
    [{ q: '陳', status: 'withdrawn' }, 50_000],
    [{ q: 'no such name' }, 1_000],
    [{ near: ['U-none', 'U-nobody'] }, 1_000],
  ]
  for (const [filter, rowsMax] of expected) {
    const { scanned, rows } = await page('createdAt', { filter })
    expect([filter, scanned, rows < rowsMax ? 'few' : rows]).toEqual([filter, [], 'few'])
  }
})

test('finding one participant uses an index for each kind of match', async () => {
  const expected: [string, number][] = [
    ['0912-345-678', 1_000],
    ['5678', 5_000],
    ['林怡君29', 1_000],
    ['no such name', 1_000],
    ['Uffffffffffffffffffffffffffffffff', 1_000],
    // Of a family name alone the first two thousand are looked at.
    ['陳', 50_000],
  ]
  for (const [q, rowsMax] of expected) {
    const { text, parameters } = findStatement(q)
    const { scanned, rows } = await explain(text, parameters.map(String))
    // Some dozens of rows: whose beacon it is, if a search is for an id.
    const tables = scanned.filter((table) => table !== 'beacon_devices')
    expect([q, tables, rows < rowsMax ? 'few' : rows]).toEqual([q, [], 'few'])
  }
})

test('a page of surveys and the snapshots of a page read only those participants', async () => {
  const position = ['2026-05-02T00:00:00Z', 'U']
  const surveys = await service.sql.unsafe<{ userId: string }[]>(SURVEY_PAGE, [...position, 101])
  expect(surveys).toHaveLength(101)
  const userIds = surveys.map(({ userId }) => userId)
  const shards = userIds.map(() => 0)
  const pending = [userIds.slice(0, 3), ['1-0', '2-0', '3-0'], Array(3).fill('2026-05-02T00:00:00Z')]
  const read = [
    await explain(SURVEY_PAGE, [...position, 101]),
    await explain(SNAPSHOTS, [userIds, shards, ...pending]),
    await explain(SNAPSHOTS_WITHOUT_PENDING, [userIds, shards]),
  ]
  for (const { scanned, rows } of read) {
    expect(scanned.filter((table) => table === 'participants' || table === 'tracks')).toEqual([])
    expect(rows).toBeLessThan(ROWS_OF_A_PAGE_MAX)
  }
})

test('what was written for devices that were just joined is found without a look at the others, or at everybody', async () => {
  await service.sql`
    INSERT INTO engagement.links (device_id, user_id, linked_at, finished_at)
    SELECT 'device:' || n, 'person-' || n, now() - make_interval(mins => n), now() FROM generate_series(0, 20000) AS n`
  await service.sql`INSERT INTO engagement.participants (user_id) VALUES ('device:3')`
  await service.sql`ANALYZE engagement.links, engagement.participants`
  expect((await service.sql.unsafe(NAMED_LATE)).map(({ userId }) => userId)).toEqual(['person-3'])
  const { scanned, rows } = await explain(NAMED_LATE, [])
  expect(scanned.filter((table) => table === 'links' || table === 'participants')).toEqual([])
  expect(rows).toBeLessThan(ROWS_OF_A_PAGE_MAX)
})
