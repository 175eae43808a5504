import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { csvRecords } from '../../../test/csv.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { ANSWERS } from '../../../test/survey.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

type Item = Record<string, unknown> & { userId: string }
type Page = { items: Item[]; nextCursor: string | null; total: number }
const list = async (query = ''): Promise<Page> => {
  const data = await service.data(`/admin/surveys${query}`, { tier: 2 })
  return data as Page
}
const submit = (userId: string, answers: object = {}) =>
  service.data('/submit', { body: { userId, answers: { ...ANSWERS, ...answers } } })

test('responses are in order of first submission, and neither new nor replaced ones move a page', async () => {
  for (const userId of ['c', 'a', 'b']) await submit(userId)
  const first = await list('?limit=2')
  expect(first).toMatchObject({ items: [{ userId: 'c' }, { userId: 'a' }], total: 3 })
  await submit('c', { q10: '再來' })
  await submit('d')
  await service.data('/user/sync', { body: { userId: 'no-survey' } })
  const second = await list(`?limit=2&cursor=${first.nextCursor}`)
  expect(second).toMatchObject({ items: [{ userId: 'b' }, { userId: 'd' }], nextCursor: null, total: 4 })
  const [replaced] = (await list()).items
  expect(replaced).toMatchObject({ userId: 'c', answers: { q10: '再來' } })
  expect(String(replaced?.submittedAt) > String(replaced?.firstSubmittedAt)).toBe(true)
  expect((await service.call(`/admin/users?cursor=${first.nextCursor}`, { tier: 2 })).status).toBe(400)
})

test('carbon is that of the profile, and the phone number is whole', async () => {
  await service.data('/user/sync', { body: { userId: 'c', displayName: "=cmd|'/c calc'!A0" } })
  await service.data('/user/phone', { body: { userId: 'c', phone: '0912345678' } })
  const { carbon } = await service.data('/user/c')
  expect((await list()).items[0]).toMatchObject({ userId: 'c', carbon, phone: '+886912345678' })
})

test('the table has a column for each question, opens harmlessly, and keeps its Chinese', async () => {
  await submit('c', {
    q1: ['helped-walkers', '=1+1', '幫忙"推"嬰兒車,\n還有'],
    q3: { hsr: 330, bus: 12.5, 牛車: 2 },
    q10: '＠風調雨順',
  })
  const response = await service.respond('/admin/surveys?format=csv&limit=1', { tier: 2 })
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const [row, ...rest] = csvRecords(new TextDecoder().decode(bytes))
  expect(rest.map(({ userId }) => userId)).toEqual(['a', 'b', 'd'])
  expect(row).toMatchObject({
    userId: 'c',
    displayName: "'=cmd|'/c calc'!A0",
    phone: "'+886912345678",
    q1: 'helped-walkers; =1+1; 幫忙"推"嬰兒車,\n還有',
    q3: 'bus 12.5 km; hsr 330 km; 牛車 2 km',
    q5: String(ANSWERS.q5),
    q1InWords: expect.stringMatching(/^攙扶.*; =1\+1; /),
    q3InWords: expect.stringContaining(' 330 公里'),
    firstSubmittedAt: expect.stringMatching(/T.*\+08:00$/),
    q10: "'＠風調雨順",
  })
  expect(Object.keys(row ?? {})).toEqual(
    expect.arrayContaining(Array.from({ length: 10 }, (_, i) => `q${i + 1}`)),
  )
})

test('only a manager or above reads them', async () => {
  expect((await service.call('/admin/surveys', { tier: 1 })).status).toBe(403)
  expect((await service.call('/admin/surveys?format=csv', { tier: 1 })).status).toBe(403)
  expect((await service.call('/admin/surveys')).status).toBe(401)
})
