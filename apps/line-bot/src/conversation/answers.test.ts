import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { allOf, startChat, type TestChat } from '../../test/chat.ts'
import { SETUP_CODE } from '../../test/services.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let chat: TestChat
beforeAll(async () => {
  chat = await startChat()
})
afterAll(() => chat.close())
beforeEach(() => chat.reset())

describe('a user who asks', () => {
  test('for their figures gets those of the profile, by word, by button, in their language', async () => {
    const person = await chat.participant()
    for (const event of [
      person.text(' 我的里程？ '),
      person.postback('v=1&a=mileage'),
      person.text('等級'),
    ]) {
      const [message] = await chat.send(person, event)
      expect(message).toMatchObject({
        type: 'flex',
        altText: '您走了 20.5 公里，打卡 7 次，現在是「🧱 築基香客」。',
      })
      for (const words of [
        '20.5 公里',
        '7 次',
        '2 張',
        '6.02 公斤',
        '再走 24.5 公里、打卡 3 次',
        '💛 金丹香客',
      ])
        expect(allOf([message ?? {}])).toContain(words)
    }
    const alice = await chat.participant('en')
    const [message] = await chat.send(alice, alice.text('Level'))
    for (const words of [
      '20.5 km',
      '🧱 Foundation Pilgrim',
      '24.5 km and 3 check-ins to go to 💛 Golden Core Pilgrim',
    ])
      expect(allOf([message ?? {}])).toContain(words)
  })

  test('before the first check-in learns how to begin, and at the last level that it is the last', async () => {
    const beginner = await chat.participant('zh-TW', { level: null, distanceKm: 0, checkins: 0 })
    expect(allOf(await chat.send(beginner, beginner.text('里程')))).toContain(
      '打卡一次，就成為「🔥 煉氣香客」',
    )
    const level = { level: 9, nameZh: '飛升香客', nameEn: 'Ascended Pilgrim', icon: '🚀', next: null }
    const done = await chat.participant('en', { level, distanceKm: 300, checkins: 40 })
    expect(allOf(await chat.send(done, done.text('mileage')))).toContain('The highest level of all')
  })

  test('for the card gets its picture at the public address', async () => {
    const person = await chat.participant()
    const [picture, text] = await chat.send(person, person.text('成就卡'))
    expect(picture).toMatchObject({
      type: 'image',
      originalContentUrl: expect.stringMatching(
        /^https:\/\/walk\.example\/c\/share-id-of-a-card\.png\?v=\d+$/,
      ),
    })
    expect(text).toMatchObject({ type: 'text', quickReply: expect.anything() })
  })

  test('for a page gets its address, which does not say who asked', async () => {
    const person = await chat.participant()
    for (const [word, page] of [
      ['地圖', 'map'],
      ['問卷', 'survey'],
      ['回報', 'feedback'],
      ['我的進香', 'me'],
      ['家人', 'me'],
      ['走失', 'lost'],
      ['我的里程', 'me'],
    ] as const)
      expect(allOf(await chat.send(person, person.text(word)))).toContain(
        `https://liff.line.me/1656000000-abcdefgh/${page}`,
      )
  })

  test('for a phone app gets a link of their own that sets one up, and its preview does not have it', async () => {
    for (const language of ['zh-TW', 'en'] as const) {
      const person = await chat.participant(language)
      const [message] = await chat.send(person, person.text('手機定位'))
      const uri = `https://walk.example/setup/${SETUP_CODE}?lang=${language}&openExternalBrowser=1`
      expect(allOf([message ?? {}])).toContain(uri)
      expect(message).toMatchObject({ altText: expect.not.stringContaining(SETUP_CODE) })
      const { asUser, body } = chat.services.callsOf('/setup-links').at(-1) ?? {}
      expect([asUser, body]).toEqual([person.userId, { userId: person.userId }])
    }
  })

  test('in another language is answered in it from then on', async () => {
    const person = await chat.participant()
    expect(allOf(await chat.send(person, person.text('English')))).toContain('English it is')
    expect(chat.services.callsOf('/user/sync').at(-1)?.body).toEqual({
      userId: person.userId,
      language: 'en',
    })
    expect(allOf(await chat.send(person, person.text('語言')))).toContain('想用哪一種語言')
  })

  test('for no notifications gets none, until they want them again; by the time at which they said it', async () => {
    const person = await chat.participant()
    await chat.send(person, person.text('停止通知'))
    expect(await chat.userRow(person.userId)).toMatchObject({ notifications: false, following: true })
    await chat.send(person, person.postback('v=1&a=resume', undefined, { timestampMs: Date.now() - 60_000 }))
    expect(await chat.userRow(person.userId)).toMatchObject({ notifications: false })
    await chat.send(person, person.text('恢復通知'))
    expect(await chat.userRow(person.userId)).toMatchObject({ notifications: true })
  })

  test('with a button of an old version or an unknown one is shown the current ones', async () => {
    const person = await chat.participant('en')
    for (const data of ['v=2&a=mileage', 'v=1&a=dance', '', 'dance', 'v=1&a=erase-yes&t=x'])
      expect(allOf(await chat.send(person, person.postback(data)))).toContain('too old')
  })

  test('something that the bot does not understand is helped once in ten minutes, and stickers count', async () => {
    const person = await chat.participant()
    expect(allOf(await chat.send(person, person.text('今天腳好痠但是很開心')))).toContain('還聽不懂')
    expect(await chat.send(person, person.text('哈哈'))).toEqual([])
    expect(await chat.send(person, person.sticker())).toEqual([])
    expect(await chat.send(person, person.text('里程'))).toHaveLength(1)
  })
})
