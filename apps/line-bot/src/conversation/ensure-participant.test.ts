import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { allOf, startChat, type TestChat } from '../../test/chat.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let chat: TestChat
beforeAll(async () => {
  chat = await startChat()
})
afterAll(() => chat.close())
beforeEach(() => chat.reset())

describe('a user who follows', () => {
  test('becomes a participant with the name, picture and language of their profile, and is welcomed in it', async () => {
    const { control } = chat
    for (const [language, name, words] of [
      ['zh-TW', '阿嬤 👵', '阿嬤 👵，平安'],
      ['en', 'Alice', 'Welcome, Alice'],
      [undefined, '新朋友', '新朋友，平安'],
      ['ja', '花子', '花子，平安'],
    ] as const) {
      const person = control.people.add({
        displayName: name,
        language,
        pictureUrl: 'https://profile.line-scdn.net/a',
        relation: 'none',
      })
      const answers = await chat.send(person, control.from(person.userId).follow())
      expect(answers).toHaveLength(1)
      expect(allOf(answers)).toContain(words)
      expect(chat.services.callsOf('/user/sync').at(-1)?.body).toEqual({
        userId: person.userId,
        displayName: name,
        pictureUrl: 'https://profile.line-scdn.net/a',
        ...(language === 'zh-TW' || language === 'en' ? { language } : {}),
      })
      expect(await chat.userRow(person.userId)).toMatchObject({
        following: true,
        profile_language: language ?? null,
      })
    }
  })

  test('keeps the language and the name that they chose before', async () => {
    const person = await chat.participant('en')
    person.person.language = 'zh-TW'
    expect(allOf(await chat.send(person, person.follow()))).toContain('Welcome, Alice')
    expect(chat.services.callsOf('/user/sync')).toEqual([])
  })

  test('is no longer blocked; one who unfollows gets nothing and is a friend no more', async () => {
    const person = await chat.participant()
    await chat.sql`UPDATE line.users SET blocked_at = now() WHERE user_id = ${person.userId}`
    expect(await chat.send(person, person.unfollow())).toEqual([])
    expect(await chat.userRow(person.userId)).toMatchObject({ following: false })
    await chat.send(person, person.follow())
    expect(await chat.userRow(person.userId)).toMatchObject({ following: true, blocked_at: null })
  })

  test('is settled by the time of the event, in whatever order LINE delivers', async () => {
    const person = await chat.participant()
    const now = Date.now()
    const unfollow = person.unfollow({ timestampMs: now + 2 })
    const follow = person.follow({ timestampMs: now + 1 })
    await chat.deliver([unfollow, follow])
    await chat.settled()
    expect(await chat.userRow(person.userId)).toMatchObject({ following: false })
    await chat.deliver([person.follow({ timestampMs: now + 4 }), person.unfollow({ timestampMs: now + 3 })])
    await chat.settled()
    expect(await chat.userRow(person.userId)).toMatchObject({ following: true })
  })

  test('with a name that engagement refuses is a participant all the same', async () => {
    const { control } = chat
    const person = control.people.add({ displayName: 'a\u0007b', relation: 'none' })
    chat.services.replyWith('/user/sync', ({ body }) =>
      typeof body === 'object' && body !== null && 'displayName' in body
        ? { status: 400, body: { error: 'displayName: no' } }
        : { status: 200, body: { ok: true, data: {} } },
    )
    await chat.send(person, control.from(person.userId).follow())
    expect(chat.services.callsOf('/user/sync').at(-1)?.body).toEqual({ userId: person.userId })
  })
})
