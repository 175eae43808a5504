import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { OwnProfile, Profile } from '@palanquin/domain/participant'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import Value from 'typebox/value'
import { startTestService, type TestService } from '../../test/service.ts'
import { PROFILE } from './examples.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('an unknown participant is 404', async () => {
  const { status, body } = await service.call('/user/unknown')
  expect(status).toBe(404)
  expect(body.error).toBeString()
})

test('a first sync creates the participant, and the profile has every field of the contract and no other', async () => {
  const profile = await service.data('/user/sync', { body: { userId: 'new', displayName: ' 林媽媽 ' } })
  expect(profile).toEqual({
    userId: 'new',
    displayName: '林媽媽',
    pictureUrl: null,
    language: 'zh-TW',
    status: 'active',
    privacyConsent: false,
    surveyCompleted: 0,
    hasPhone: false,
    phone: null,
    distanceKm: 0,
    walkedKm: 0,
    motorizedKm: 0,
    checkins: 0,
    photos: 0,
    level: null,
    carbon: { travelKg: 0, trackedKg: 0, waterKg: 0, recycleKg: 0, hotelKg: 0, totalKg: 0, avoidedKg: 0 },
    achievement: { unlocked: false, missing: ['checkins', 'survey', 'phone'] },
    lastSeenAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
  })
  expect(await service.data('/user/new')).toEqual(profile)
  expect(Value.Check(Profile, profile)).toBe(true)
  expect(Object.keys(profile)).toEqual(Object.keys(PROFILE))
  expect(Value.Check(Profile, PROFILE)).toBe(true)
})

test('the visibility is said to the person alone, and not while there is no consent', async () => {
  const userId = 'seen'
  const own = async (as: string) => service.data(`/user/${userId}`, { headers: { 'x-internal-user': as } })
  await service.data('/user/sync', { body: { userId } })
  expect(await own(userId)).toMatchObject({ visibility: null, consentAt: null })
  for (const visibility of ['anonymous', 'crowd', 'named']) {
    await service.data('/privacy', { body: { userId, consent: true, visibility } })
    const mine = await own(userId)
    expect(mine).toHaveProperty('visibility', visibility)
    expect(Value.Check(OwnProfile, mine)).toBe(true)
    for (const others of [await own('another'), await service.data(`/user/${userId}`)])
      expect(Object.keys(others)).toEqual(Object.keys(PROFILE))
  }
  const { recordedAt } = await service.data('/privacy', { body: { userId, consent: false } })
  expect(await own(userId)).toMatchObject({ visibility: null, consentAt: recordedAt })
})
