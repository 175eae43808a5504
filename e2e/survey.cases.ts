import { expect, test } from 'bun:test'
import { openRedis } from '@palanquin/backup/streams'
import { ACHIEVEMENT_NEEDS, Achievement } from '@palanquin/domain/achievement'
import { Carbon } from '@palanquin/domain/carbon'
import { BUS_GROUPS, STREAM_KEY } from '@palanquin/events/stream'
import { dataOf } from '@palanquin/stack/api'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { stack } from './plain-stack.ts'

const ANSWERS = { q1: [], q2: [], q3: {}, q4: [], q5: 0, q6: 'mixed', q7: 0, q8: 0, q9: 0 }
const Submitted = Type.Object({
  userId: Type.String(),
  surveyCompleted: Type.Literal(1),
  carbon: Carbon,
  achievement: Achievement,
})
const submit = (userId: string, { answers = {}, ...fields }: { answers?: object; phone?: string } = {}) =>
  stack.api.post('/submit', { userId, answers: { ...ANSWERS, ...answers }, ...fields })

test('anyone may read the questions, q1 to q10 in order, in both languages, and cache them', async () => {
  const reply = await stack.api.get('/survey')
  const Asked = Type.Object({ id: Type.String(), textZh: Type.String(), textEn: Type.String() })
  const { questions } = dataOf(Type.Object({ questions: Type.Array(Asked) }), reply)
  expect(questions.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, i) => `q${i + 1}`))
  expect(reply.headers.get('cache-control')).toBe('public, max-age=300')
})

/** Specification 2.4: a thousand of each, so that three decimals show the whole coefficient. */
const CARBON: readonly [name: string, answers: object, part: keyof Carbon, kg: number][] = [
  ['walk', { q3: { walk: 1000 } }, 'travelKg', 0],
  ['car', { q3: { car: 1000 } }, 'travelKg', 304.79],
  ['scooter', { q3: { scooter: 1000 } }, 'travelKg', 137.34],
  ['bike', { q3: { bike: 1000 } }, 'travelKg', 12.2],
  ['bus', { q3: { bus: 1000 } }, 'travelKg', 120.13],
  ['mrt', { q3: { mrt: 1000 } }, 'travelKg', 75.75],
  ['train', { q3: { train: 1000 } }, 'travelKg', 75.75],
  ['hsr', { q3: { HSR: '1000' } }, 'travelKg', 74.87],
  ['water', { q7: 1000 }, 'waterKg', 109.74],
  ['recycle', { q8: '1000' }, 'recycleKg', -2.65],
  ['hotel', { q5: 60 }, 'hotelKg', 531],
  ['an unknown mode', { q3: { 牛車: 1000 } }, 'travelKg', 120.13],
  ['a mode without kilometres', { q3: 'car' }, 'travelKg', 0],
]

test('each of the eleven coefficients applies, the same in the response and in the profile', async () => {
  await Promise.all(
    CARBON.map(async ([name, answers, part, kg], index) => {
      const userId = `carbon-${index}`
      const { carbon, achievement } = dataOf(Submitted, await submit(userId, { answers }))
      const none = { travelKg: 0, trackedKg: 0, waterKg: 0, recycleKg: 0, hotelKg: 0, avoidedKg: 0 }
      expect({ name, carbon }).toEqual({ name, carbon: { ...none, [part]: kg, totalKg: kg } })
      expect(achievement).toEqual({ unlocked: false, missing: ['checkins', 'phone'] })
      expect(await stack.api.profile(userId)).toMatchObject({ surveyCompleted: 1, carbon, achievement })
    }),
  )
})

test('a second submission replaces the first, and a third in ten minutes is 429, by either name', async () => {
  await submit('again', { answers: { q5: 1 } })
  const second = await stack.api.post('/survey', { line_user_id: 'again', answers: { ...ANSWERS, q5: '2' } })
  expect(dataOf(Submitted, second).carbon).toMatchObject({ hotelKg: 17.7, totalKg: 17.7 })
  expect((await submit('again')).status).toBe(429)
})

test('a missing or wrong answer is 400 naming its question, a wrong phone number with its own code', async () => {
  const wrong: [object, string][] = [
    [{ answers: { q1: null } }, 'q1'],
    [{ answers: { q3: { bus: -1 } } }, 'q3'],
    [{ answers: { q5: 61 } }, 'q5'],
    [{ answers: { q9: 'many' } }, 'q9'],
    [{ phone: '12345' }, 'phone'],
  ]
  for (const [index, [fields, name]] of wrong.entries()) {
    const { status, body } = await submit(`wrong-${index}`, fields)
    expect([status, body]).toEqual([
      400,
      { error: expect.stringMatching(new RegExp(`^${name}: expected `)), requestId: expect.any(String) },
    ])
    expect((await stack.api.get(`/user/wrong-${index}`)).status).toBe(404)
  }
})

/** The participants of published achievement.unlocked events, repeats included. */
async function publishedUnlocks(): Promise<string[]> {
  const redis = await openRedis(stack.running().redisUrl)
  const entries = await redis.xRange(STREAM_KEY, '-', '+')
  redis.destroy()
  return JSON.stringify(entries).match(/(?<=achievement\.unlocked.{1,120}userId[\\": ]+)[\w-]+/g) ?? []
}

test('the consumer groups that events are kept for are those of the running services', async () => {
  const redis = await openRedis(stack.running().redisUrl)
  const names = async () => (await redis.xInfoGroups(STREAM_KEY)).map(({ name }) => String(name)).sort()
  const wanted = [...BUS_GROUPS].sort()
  await until(async () => (await names()).length >= wanted.length, {
    what: 'a consumer group of each service',
  })
  expect(await names()).toEqual(wanted)
  redis.destroy()
})

const STEPS = {
  checkins: async (userId: string) => {
    for (let i = 0; i < 3; i++)
      expect((await stack.api.post('/checkin', { userId, lat: 24.3 + i / 100, lng: 120.6 })).status).toBe(202)
    await until(async () => (await stack.api.profile(userId)).checkins === 3, { what: 'three check-ins' })
  },
  survey: async (userId: string) => {
    expect((await submit(userId)).status).toBe(200)
  },
  phone: async (userId: string) => {
    expect((await stack.api.post('/user/phone', { userId, phone: '0912-345-678' })).status).toBe(200)
  },
}
const ORDERS = [
  ['checkins', 'survey', 'phone'],
  ['phone', 'checkins', 'survey'],
  ['survey', 'phone', 'checkins'],
] as const

test('whichever of check-ins, survey and phone number comes last unlocks the achievement, which is published once', async () => {
  const participants = ORDERS.map((order) => `last-${order[2]}`)
  await Promise.all(
    ORDERS.map(async (order) => {
      const userId = `last-${order[2]}`
      for (const [index, step] of order.entries()) {
        await STEPS[step](userId)
        const missing = ACHIEVEMENT_NEEDS.filter((need) => order.indexOf(need) > index)
        expect((await stack.api.profile(userId)).achievement).toEqual({ unlocked: index === 2, missing })
      }
    }),
  )
  await until(async () => new Set(await publishedUnlocks()).size === participants.length, {
    what: 'each unlock on the bus',
  })
  // Removing the number and adding it again is no second achievement.
  for (const userId of participants) {
    await stack.api.post('/user/phone', { userId, phone: null })
    expect((await stack.api.profile(userId)).achievement).toEqual({ unlocked: false, missing: ['phone'] })
    await STEPS.phone(userId)
    expect((await stack.api.profile(userId)).achievement.unlocked).toBe(true)
  }
})

test('after the end surveys are 403, and every due achievement was published once before it', async () => {
  await STEPS.survey('at-the-end')
  await STEPS.phone('at-the-end')
  await STEPS.checkins('at-the-end')
  const ended = await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))
  expect(dataOf(Type.Object({ unlocked: Type.Integer() }), ended).unlocked).toBe(4)
  for (const path of ['/submit', '/survey']) {
    const { status, body } = await stack.api.post(path, { userId: 'late', answers: ANSWERS })
    expect([status, body]).toMatchObject([403, { error: expect.stringContaining('ended') }])
  }
  expect((await publishedUnlocks()).toSorted()).toEqual([
    'at-the-end',
    'last-checkins',
    'last-phone',
    'last-survey',
  ])
  expect((await stack.api.post('/user/phone', { userId: 'late', phone: '0912345678' })).status).toBe(200)
})
