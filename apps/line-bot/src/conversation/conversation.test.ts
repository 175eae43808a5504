import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { allOf, type ChatStand, chatStand } from '../../test/chat.ts'

setDefaultTimeout(HANG_MS)

let chat: ChatStand
beforeAll(async () => {
  chat = await chatStand()
})
afterAll(() => chat.close())
beforeEach(() => chat.reset())

describe('who wants to be forgotten', () => {
  test('is asked back, and erased on a yes in their own name', async () => {
    const person = await chat.participant()
    const [question] = await chat.tell(person, person.text('刪除我的資料'))
    const actions = (question as { template?: { actions?: { data: string }[] } }).template?.actions ?? []
    expect(chat.neighbours.calls.filter(({ method }) => method === 'DELETE')).toEqual([])
    expect(allOf(await chat.tell(person, person.postback(actions[0]?.data ?? '')))).toContain('全部刪除了')
    expect(chat.neighbours.calls.filter(({ method }) => method === 'DELETE')).toMatchObject([
      { path: `/user/${person.userId}`, asUser: person.userId },
    ])
  })

  test('a no, and a yes to an old question, erase nothing', async () => {
    const person = await chat.participant('en')
    expect(allOf(await chat.tell(person, person.postback('v=1&a=erase-no')))).toContain('still here')
    const old = `v=1&a=erase-yes&t=${Date.now() - 11 * 60_000}`
    expect(allOf(await chat.tell(person, person.postback(old)))).toContain('expired')
    expect(chat.neighbours.calls.filter(({ method }) => method === 'DELETE')).toEqual([])
  })

  test('while a part of the house is away is told so, and erased as soon as it is back', async () => {
    const person = await chat.participant()
    chat.neighbours.away.add('engagement')
    await chat.control.send(person.postback(`v=1&a=erase-yes&t=${Date.now()}`))
    await until(() => allOf(chat.received(person)).includes('一直處理到刪完'), {
      what: 'a word that it goes on',
    })
    chat.neighbours.away.clear()
    await chat.settled()
    expect(chat.neighbours.calls.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(1)
    expect(chat.received(person)).toHaveLength(1)
  })
})

describe('in a group', () => {
  test('it answers who addresses it, shortly and with nothing personal', async () => {
    const { control } = chat
    const person = await chat.participant('en')
    const group = { userId: control.people.addGroup([person.userId]).id }
    const speak = (text: string) => control.from(group.userId, person.userId).text(text)
    expect(allOf(await chat.tell(group, speak('/map')))).toContain('/map')
    expect(allOf(await chat.tell(group, speak('/level')))).toContain('personal')
    expect(allOf(await chat.tell(group, speak('/help')))).toContain('helper of the')
    expect(await chat.tell(group, speak('what a day'))).toEqual([])
    expect(chat.neighbours.calls).toEqual([])
  })
})

describe('the other services and LINE', () => {
  test('while engagement is away an answer says so, and nothing is tried again', async () => {
    const person = await chat.participant('en')
    chat.neighbours.away.add('engagement')
    expect(allOf(await chat.tell(person, person.text('level')))).toContain('try again in a moment')
  })

  test('a reply that failed on its way is sent again, and one that arrived is not', async () => {
    const person = await chat.participant()
    const { control } = chat
    for (const kind of ['rate', 'error', 'error-after', 'reset'] as const) {
      control.faults.order({ kind, at: 'reply' })
      expect({ kind, answers: (await chat.tell(person, person.text('地圖'))).length }).toEqual({
        kind,
        answers: 1,
      })
    }
  })

  test('an event that LINE tells twice, also years of milliseconds later, is answered once', async () => {
    const person = await chat.participant()
    const sent = await chat.control.send(person.text('地圖'), { times: 3 })
    await chat.settled()
    await chat.control.redeliver(sent)
    await chat.settled()
    expect(chat.received(person)).toHaveLength(1)
  })

  test('somebody who writes before they were ever seen becomes a participant by it', async () => {
    const { control } = chat
    const person = control.people.add({ displayName: 'Bob', language: 'en' })
    expect(allOf(await chat.tell(person, control.from(person.userId).text('map')))).toContain('Open the map')
    expect(chat.neighbours.callsOf('/user/sync')[0]?.body).toMatchObject({
      displayName: 'Bob',
      language: 'en',
    })
    expect(await chat.userRow(person.userId)).toMatchObject({ following: true })
  })
})
