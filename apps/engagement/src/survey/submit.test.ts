import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { bufferOf } from '../../test/buffer.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS, normalized, storedSurvey } from '../../test/survey.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const submit = (userId: string, fields: object = {}, path = '/submit') =>
  service.call(path, { body: { userId, answers: ANSWERS, ...fields } })

const storedOf = (userId: string) => storedSurvey(service, userId)

test('a first submission creates the participant with answers, history and one event, and returns the numbers of GET /user', async () => {
  const userId = 'first'
  const { status, body } = await submit(userId)
  expect(status).toBe(200)
  const profile = await service.data(`/user/${userId}`)
  expect(profile).toMatchObject({ surveyCompleted: 1, hasPhone: false, privacyConsent: false })
  expect(body.data).toEqual({
    userId,
    surveyCompleted: 1,
    carbon: profile.carbon,
    achievement: profile.achievement,
  })
  expect(profile.carbon).toMatchObject({
    travelKg: 26.209,
    waterKg: 0.329,
    recycleKg: -0.011,
    hotelKg: 17.7,
    totalKg: 44.227,
  })
  const { row, history, consents, events } = await storedOf(userId)
  expect(row?.survey).toEqual(normalized(ANSWERS))
  expect(row).toMatchObject({ phone: null, consent: false, consent_at: null, status: 'active' })
  expect(history).toEqual([{ answers: normalized(ANSWERS), submitted_at: row?.survey_completed_at }])
  expect(consents).toEqual([])
  expect(events.map(({ type }) => type)).toEqual(['participant.changed'])
})

test('a second submission by either path replaces the first; both are stored, and the first time stays', async () => {
  const userId = 'second'
  await submit(userId, {}, '/survey')
  const first = await storedOf(userId)
  const answers = { ...ANSWERS, q5: 0, q8: 100 }
  const { body } = await submit(userId, { answers }, '/submit')
  expect(body.data).toMatchObject({ carbon: { hotelKg: 0, recycleKg: -0.265 } })
  const second = await storedOf(userId)
  expect(second.row?.survey).toEqual(normalized(answers))
  expect(second.history.map((one) => one.answers)).toEqual([normalized(ANSWERS), normalized(answers)])
  expect(second.row?.survey_first_at).toEqual(first.row?.survey_first_at)
  expect(Number(second.row?.survey_completed_at)).toBeGreaterThan(Number(first.row?.survey_completed_at))
  expect(second.events).toHaveLength(2)
})

test('a retry of the same submission adds nothing, emits nothing, and reports success', async () => {
  const userId = 'retry'
  const fields = { phone: '0912345678', consent: true }
  const first = await submit(userId, fields)
  const before = { stored: await storedOf(userId), published: service.published() }
  for (const path of ['/submit', '/survey']) {
    const again = await submit(userId, fields, path)
    expect([again.status, again.body]).toEqual([200, first.body])
  }
  expect({ stored: await storedOf(userId), published: service.published() }).toEqual(before)
  expect(before.stored).toMatchObject({ history: [{}], consents: [{}], events: [{}] })
})

test('phone and consent follow their own endpoints: given they are set, absent they stay, null removes the phone', async () => {
  const userId = 'fields'
  const state = async () => {
    const { row, consents, events } = await storedOf(userId)
    return [row?.phone, row?.consent, row?.consent_version, consents.length, events.length]
  }
  await service.data('/privacy', { body: { userId, consent: true, version: '1' } })
  await service.data('/user/phone', { body: { userId, phone: '0911111111' } })
  await submit(userId)
  expect(await state()).toEqual(['+886911111111', true, '1', 1, 3])
  await submit(userId, { phone: '0922-222-222', consent: null })
  expect(await state()).toEqual(['+886922222222', true, '1', 1, 4])
  await submit(userId, { consent: false })
  expect(await state()).toEqual(['+886922222222', false, null, 2, 5])
  await submit(userId, { phone: null, consent: true })
  expect(await state()).toEqual([null, true, null, 3, 6])
  // What came of it is what the endpoint itself would have said.
  const { row, history, consents } = await storedOf(userId)
  const consent = await service.data('/privacy', { body: { userId, consent: true } })
  expect(consent.recordedAt).toBe(row?.consent_at.toISOString())
  expect(consents.at(-1)).toEqual({ consent: true, version: null, recorded_at: row?.consent_at })
  expect(history).toHaveLength(1)
})

test('an invalid submission is 400, names the field and stores nothing', async () => {
  const without = (id: string) => Object.fromEntries(Object.entries(ANSWERS).filter(([key]) => key !== id))
  const wrong: [object, string][] = [
    ...Object.keys(ANSWERS).map((id): [object, string] => [{ answers: without(id) }, id]),
    [{ answers: { ...ANSWERS, q5: 61 } }, 'q5'],
    [{ answers: { ...ANSWERS, q10: 'x'.repeat(1001) } }, 'q10'],
    [{ answers: { ...ANSWERS, q10: 'a\u0000b' } }, 'answers.q10'],
    [{ answers: 'none' }, 'answers'],
    [{ answers: null }, 'answers'],
    [{ phone: '12345' }, 'phone'],
    [{ phone: '' }, 'phone'],
    [{ phone: 912345678 }, 'phone'],
    [{ consent: 'yes' }, 'consent'],
    [{ userId: 'a b' }, 'userId'],
  ]
  for (const [fields, name] of wrong) {
    const { status, body } = await submit('wrong', fields)
    expect([fields, status]).toEqual([fields, 400])
    expect(body.error).toStartWith(`${name}: expected `)
  }
  expect(await storedOf('wrong')).toEqual({ row: undefined, history: [], consents: [], events: [] })
})

test('buffered check-ins count in the response, as in GET /user', async () => {
  const userId = 'pending'
  const buffer = bufferOf(service, userId)
  for (let i = 0; i < 3; i++) await buffer.checkin()
  await buffer.flush(1)
  const { body } = await submit(userId, { phone: '0912345678' })
  expect(body.data).toMatchObject({ achievement: { unlocked: true, missing: [] } })
  expect(await service.data(`/user/${userId}`)).toMatchObject({
    checkins: 3,
    achievement: { unlocked: true },
  })
})

test('a snapshot cached before a submission is not used after it', async () => {
  const userId = 'cached'
  await service.data('/user/sync', { body: { userId } })
  expect(await service.data(`/user/${userId}`)).toMatchObject({ surveyCompleted: 0 })
  await submit(userId)
  expect(await service.data(`/user/${userId}`)).toMatchObject({
    surveyCompleted: 1,
    carbon: { hotelKg: 17.7 },
  })
})

test('forty concurrent submissions of one new participant are each stored once, and the last one is current', async () => {
  const userId = 'crowd'
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      // Each of twenty is sent again, as by a phone without a response.
      submit(userId, { answers: { ...ANSWERS, q9: i % 20 }, phone: '0912345678', consent: true }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200))
  const { row, history, consents, events } = await storedOf(userId)
  expect(new Set(history.map((one) => one.answers.q9)).size).toBe(20)
  for (const [index, { answers }] of history.entries())
    expect(answers.q9).not.toBe(history[index - 1]?.answers.q9)
  expect(history.at(-1)?.answers).toEqual(row?.survey)
  expect(history.map((one) => one.submitted_at)).toEqual(
    history.map((one) => one.submitted_at).toSorted((a, b) => a - b),
  )
  expect(row?.survey_first_at).toEqual(history[0]?.submitted_at)
  expect(events).toHaveLength(history.length)
  expect(consents).toHaveLength(1)
})

test('concurrent submissions, phone numbers and consents of one new participant: none is lost, each is stored once', async () => {
  const userId = 'mixed'
  const calls = Array.from({ length: 30 }, (_, i) => {
    if (i % 3 === 0) return submit(userId)
    if (i % 3 === 1) return service.call('/user/phone', { body: { userId, phone: '0912345678' } })
    return service.call('/privacy', { body: { userId, consent: true } })
  })
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
  const { row, history, consents, events } = await storedOf(userId)
  expect(row).toMatchObject({ phone: '+886912345678', consent: true, survey: normalized(ANSWERS) })
  expect([history.length, consents.length, events.length]).toEqual([1, 1, 3])
})

test('surveys are accepted while paused; after the end they are 403, repeated ones too, and store nothing', async () => {
  await submit('ended')
  const before = await storedOf('ended')
  await service.sql`UPDATE engagement.activity SET status = 'paused'`
  expect((await submit('paused')).status).toBe(200)
  await service.sql`UPDATE engagement.activity SET status = 'ended'`
  for (const [userId, path] of [
    ['ended', '/submit'],
    ['ended', '/survey'],
    ['new-user', '/submit'],
  ] as const) {
    const { status, body } = await submit(userId, { phone: '0912345678' }, path)
    expect([status, body.error]).toEqual([403, 'The activity has ended; surveys are no longer taken.'])
  }
  expect(await storedOf('ended')).toEqual(before)
  expect((await storedOf('new-user')).row).toBeUndefined()
  // A phone number is taken after the end all the same (contract section 5).
  expect((await service.call('/user/phone', { body: { userId: 'ended', phone: '0912345678' } })).status).toBe(
    200,
  )
  await service.sql`UPDATE engagement.activity SET status = 'active'`
})
