import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { Beacon } from '@palanquin/domain/beacon'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { allOf, startChat, type TestChat } from '../../test/chat.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let chat: TestChat
beforeAll(async () => {
  chat = await startChat()
})
afterAll(() => chat.close())
beforeEach(() => chat.reset())

const MINUTE_MS = 60_000
const MAP = 'https://liff.line.me/1656000000-abcdefgh/map'

const beacon = (facts: Partial<Beacon> & { ageMs?: number }): Beacon => {
  const { ageMs = 0, ...rest } = facts
  return {
    id: '1',
    kind: 'palanquin',
    name: { zh: '白沙屯媽祖鑾轎', en: 'Mazu palanquin' },
    lat: 24.34,
    lng: 120.62,
    accuracyM: 6,
    speedKmh: 4.3,
    heading: 190,
    state: 'moving',
    restingSince: null,
    recordedAt: new Date(Date.now() - ageMs).toISOString(),
    place: { county: { zh: '臺中市', en: 'Taichung City' }, town: { zh: '大甲區', en: 'Dajia District' } },
    ...rest,
  }
}

const ask = async (language: 'zh-TW' | 'en', word: string) => {
  const person = await chat.participant(language)
  const [message] = await chat.send(person, person.text(word))
  return message
}

test.each(['媽祖在哪', '媽祖在哪裡', '鑾轎在哪？'])(
  '%s: where she is, what she does, how old that is, and the map',
  async (word) => {
    const shuttle = beacon({ kind: 'shuttle', place: null })
    chat.services.showBeacons([shuttle, beacon({})])
    const message = await ask('zh-TW', word)
    expect(message).toMatchObject({
      type: 'flex',
      altText: `鑾轎在臺中市大甲區\n行進中，時速 4 公里\n剛剛更新\n${MAP}`,
      quickReply: expect.anything(),
    })
    expect(allOf([message ?? {}])).toContain(`"uri":"${MAP}"`)
  },
)

test.each(['where', 'Where is Mazu?'])('%s is answered in English', async (word) => {
  chat.services.showBeacons([beacon({ ageMs: 3 * MINUTE_MS })])
  expect(await ask('en', word)).toMatchObject({
    altText: `The palanquin is in Dajia District, Taichung City\nOn the move at 4 km/h\nThis is from 3 min ago; it may have moved on.\n${MAP}`,
  })
})

test('a palanquin that rests, and one whose signal is lost', async () => {
  const restingSince = '2026-04-17T14:05:00.000Z'
  chat.services.showBeacons([beacon({ state: 'resting', restingSince, speedKmh: null })])
  expect(allOf([(await ask('zh-TW', '媽祖在哪')) ?? {}])).toMatch(/停駕，從 4\/17 22:05 起/)
  expect(allOf([(await ask('en', 'where')) ?? {}])).toContain('Resting since')
  chat.services.showBeacons([beacon({ state: 'unknown', ageMs: 40 * MINUTE_MS })])
  expect(allOf([(await ask('zh-TW', '媽祖在哪')) ?? {}])).toContain(
    '訊號中斷，這是最後的位置\\n這是 40 分鐘前的資料',
  )
  expect(allOf([(await ask('en', 'where')) ?? {}])).toContain('Signal lost')
})

test('before it set out, and while the map is away, it says so kindly, with the link', async () => {
  expect(await ask('zh-TW', '媽祖在哪')).toMatchObject({
    altText: `目前還沒有鑾轎的位置。\n鑾轎一出發，我就能告訴您。\n${MAP}`,
  })
  chat.services.away.add('map')
  expect(await ask('zh-TW', '媽祖在哪')).toMatchObject({
    altText: `暫時查不到鑾轎的位置。\n請過一會兒再問我一次，或打開地圖看看 🙏\n${MAP}`,
  })
  expect(allOf([(await ask('en', 'where')) ?? {}])).toContain('not available right now')
})

test('the answer is a reply: it pushes nothing, and costs no quota', async () => {
  chat.services.showBeacons([beacon({})])
  const person = await chat.participant()
  for (const event of [person.text('媽祖在哪'), person.postback('v=1&a=where')])
    expect(await chat.send(person, event)).toHaveLength(1)
  expect(chat.control.deliveries.received(person.userId).map(({ by }) => by)).toEqual(['reply', 'reply'])
})
