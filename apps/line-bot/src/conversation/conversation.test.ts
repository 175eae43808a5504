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

describe('who wants to be forgotten', () => {
  test('is asked back, and erased on a yes in their own name', async () => {
    const person = await chat.participant()
    const [question] = await chat.send(person, person.text('刪除我的資料'))
    const actions = (question as { template?: { actions?: { data: string }[] } }).template?.actions ?? []
    expect(chat.services.calls.filter(({ method }) => method === 'DELETE')).toEqual([])
    expect(allOf(await chat.send(person, person.postback(actions[0]?.data ?? '')))).toContain('全部刪除了')
    expect(chat.services.calls.filter(({ method }) => method === 'DELETE')).toMatchObject([
      { path: `/user/${person.userId}`, asUser: person.userId },
    ])
  })

  test('a no, and a yes to an old question, erase nothing', async () => {
    const person = await chat.participant('en')
    expect(allOf(await chat.send(person, person.postback('v=1&a=erase-no')))).toContain('still here')
    const old = `v=1&a=erase-yes&t=${Date.now() - 11 * 60_000}`
    expect(allOf(await chat.send(person, person.postback(old)))).toContain('expired')
    expect(chat.services.calls.filter(({ method }) => method === 'DELETE')).toEqual([])
  })

  test('while a service is down gets a message, and is erased as soon as it is back', async () => {
    const person = await chat.participant()
    chat.services.away.add('engagement')
    await chat.deliver(person.postback(`v=1&a=erase-yes&t=${Date.now()}`))
    await until(() => allOf(chat.received(person)).includes('一直處理到刪完'), {
      what: 'a word that it goes on',
    })
    chat.services.away.clear()
    await chat.settled()
    expect(chat.services.calls.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(1)
    expect(chat.received(person)).toHaveLength(1)
  })
})

describe('in a group', () => {
  test('it answers who addresses it, shortly and with nothing personal', async () => {
    const { control } = chat
    const person = await chat.participant('en')
    const group = { userId: control.people.addGroup([person.userId]).id }
    const speak = (text: string) => control.from(group.userId, person.userId).text(text)
    expect(allOf(await chat.send(group, speak('/map')))).toContain('/map')
    expect(allOf(await chat.send(group, speak('/level')))).toContain('personal')
    expect(allOf(await chat.send(group, speak('/help')))).toContain('helper of the')
    expect(allOf(await chat.send(group, speak('/媽祖在哪')))).toContain('has no position yet')
    expect(await chat.send(group, speak('what a day'))).toEqual([])
    expect(chat.services.calls.map(({ path }) => path)).toEqual(['/beacons'])
  })
})

describe('the other services and LINE', () => {
  test('while engagement is away an answer says so, and nothing is tried again', async () => {
    const person = await chat.participant('en')
    chat.services.away.add('engagement')
    expect(allOf(await chat.send(person, person.text('level')))).toContain('try again in a moment')
  })

  test('a reply that failed on its way is sent again, and one that arrived is not', async () => {
    const person = await chat.participant()
    const { control } = chat
    for (const kind of ['rate', 'error', 'error-after', 'reset'] as const) {
      control.faults.order({ kind, at: 'reply' })
      expect({ kind, answers: (await chat.send(person, person.text('地圖'))).length }).toEqual({
        kind,
        answers: 1,
      })
    }
  })

  test('an event that LINE delivers again, even much later, is answered once', async () => {
    const person = await chat.participant()
    const sent = await chat.deliver(person.text('地圖'), { times: 3 })
    await chat.settled()
    await until(async () => (await chat.control.redeliver(sent)).ok, { what: 'the redelivery to be taken' })
    await chat.settled()
    expect(chat.received(person)).toHaveLength(1)
  })

  test('an unregistered user who writes becomes a participant', async () => {
    const { control } = chat
    const person = control.people.add({ displayName: 'Bob', language: 'en' })
    expect(allOf(await chat.send(person, control.from(person.userId).text('map')))).toContain('Open the map')
    expect(chat.services.callsOf('/user/sync')[0]?.body).toMatchObject({ displayName: 'Bob', language: 'en' })
    expect(await chat.userRow(person.userId)).toMatchObject({ following: true })
  })
})
