import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { allOf, startChat, type TestChat } from '../../test/chat.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let chat: TestChat
beforeAll(async () => {
  chat = await startChat()
})
afterAll(() => chat.close())
beforeEach(() => chat.reset())

describe('a location', () => {
  test('is a check-in of source line at the time that LINE gives, and is answered', async () => {
    const person = await chat.participant()
    const event = person.location({ lat: 24.6113, lng: 120.7512, title: '拱天宮' })
    expect(allOf(await chat.send(person, event))).toContain('打卡成功 📍\\n拱天宮')
    expect(chat.services.callsOf('/internal/checkin').map(({ body }) => body)).toEqual([
      { userId: person.userId, lat: 24.6113, lng: 120.7512, source: 'line', recordedAt: event.timestamp },
    ])
  })

  test.each([
    ['paused', {}, '暫停'],
    ['ended', { activity: 'ended' }, '圓滿結束'],
    ['of who has withdrawn', { status: 'withdrawn' }, '已經退出'],
  ])(
    'while the activity is %s is refused with the reason',
    async (_, { activity, status }: { activity?: string; status?: string }, words) => {
      const person = await chat.participant()
      await chat.sql`UPDATE engagement.activity SET status = ${activity ?? 'paused'}`
      await chat.sql`UPDATE engagement.participants SET status = ${status ?? 'active'} WHERE user_id = ${person.userId}`
      chat.services.replyWith('/internal/checkin', () => ({ status: 403, body: { error: 'no' } }))
      expect(allOf(await chat.send(person, person.location({ lat: 24, lng: 120 })))).toContain(words)
      await chat.sql`UPDATE engagement.activity SET status = 'active'`
    },
  )

  test('with a clock that is years off counts at the time of its arrival', async () => {
    const person = await chat.participant()
    await chat.send(person, person.location({ lat: 24, lng: 120 }, { timestampMs: 1_462_629_479_859 }))
    const [call] = chat.services.callsOf('/internal/checkin')
    const recordedAt = Number(/"recordedAt":(\d+)/.exec(allOf([call ?? {}]))?.[1])
    expect(Math.abs(recordedAt - Date.now())).toBeLessThan(60_000)
  })

  test('while tracking is away waits, and counts once it is back; others are answered meanwhile', async () => {
    const [person, other] = [await chat.participant(), await chat.participant()]
    chat.services.away.add('tracking')
    const sent = await chat.deliver(person.location({ lat: 24, lng: 120 }))
    await until(() => chat.services.callsOf('/internal/checkin').length > 1, { what: 'another try' })
    await chat.deliver([person.text('地圖'), other.text('地圖')])
    await until(() => chat.received(other).length > 0 && chat.received(person).length > 0, {
      what: 'answers',
    })
    // On a slow machine the minute in which LINE takes the reply may be over: a redelivery starts it again.
    await chat.control.redeliver(sent)
    chat.services.away.clear()
    await chat.settled()
    expect(allOf(chat.received(person))).toContain('打卡成功')
  })
})

describe('a picture', () => {
  const jpeg = { bytes: new Uint8Array([255, 216, 255, 1]), contentType: 'image/jpeg' }

  test('goes from the data host to media under the id of its message, and the reply has the count', async () => {
    const person = await chat.participant()
    const event = person.image(jpeg)
    expect(allOf(await chat.send(person, event))).toContain('一共傳了 3 張')
    const { id } = event.message as { id: string }
    expect(chat.services.callsOf('/internal/photos')).toMatchObject([
      { query: { userId: person.userId, messageId: id }, body: jpeg.bytes },
    ])
  })

  test('that was taken back is let go; one that is none, or too large, is answered so', async () => {
    const person = await chat.participant()
    const gone = person.image(jpeg)
    chat.control.contents.withdraw((gone.message as { id: string }).id)
    expect(await chat.send(person, gone)).toEqual([])
    chat.services.replyWith('/internal/photos', () => ({ status: 400, body: { error: 'no picture' } }))
    expect(allOf(await chat.send(person, person.image(jpeg)))).toContain('打不開')
    const large = { bytes: new Uint8Array(10_485_761), contentType: 'image/jpeg' }
    expect(allOf(await chat.send(person, person.image(large)))).toContain('太大')
  })
})
