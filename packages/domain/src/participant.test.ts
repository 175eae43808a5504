import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import {
  changeParticipant,
  maskPhone,
  mayTrack,
  PARTICIPANT_STATUSES,
  PhoneBody,
  PrivacyBody,
  Profile,
  round3,
  UserSyncBody,
} from './participant'

test('a participant completes, withdraws and comes back; nothing else', () => {
  const outcomes = PARTICIPANT_STATUSES.map((from) =>
    PARTICIPANT_STATUSES.map((to) => {
      const change = changeParticipant(from, to)
      return 'refused' in change ? 'refused' : change.changed
    }),
  )
  expect(outcomes).toEqual([
    // to active, completed, withdrawn
    [false, true, true],
    ['refused', false, 'refused'],
    [true, 'refused', false],
  ])
  expect(PARTICIPANT_STATUSES.map(mayTrack)).toEqual([true, true, false])
})

test('a masked phone shows its country code and last three digits, and not even how long it is', () => {
  expect(maskPhone('+886912345678')).toBe('+886•••••678')
  expect(maskPhone('+8864123456')).toBe('+886•••••456')
  expect(maskPhone('+14155550123')).toBe('+1•••••123')
  expect(maskPhone('+819012345678')).toBe('+81•••••678')
  expect(maskPhone('+85291234567')).toBe('+852•••••567')
  expect(['0912345678', '', '+', '+886', 'secret'].map(maskPhone)).toEqual(Array(5).fill('•••••'))
})

test('numbers in responses have 3 decimals and no negative zero', () => {
  expect([12.3456, 0.0004, 2.6550000000000002, -1.23456, 0].map(round3)).toEqual([
    12.346, 0, 2.655, -1.235, 0,
  ])
  expect(Object.is(round3(-0.0001), 0)).toBe(true)
})

test('a profile update takes only what the contract names', () => {
  const body = { userId: 'U1' }
  const good = [
    body,
    { ...body, displayName: null, pictureUrl: null, language: null },
    { ...body, displayName: '👨‍👩‍👧‍👦'.repeat(100), language: 'zh-TW', other: 1 },
    { ...body, pictureUrl: `https://profile.line-scdn.net/${'a'.repeat(470)}` },
  ]
  const bad = [
    {},
    { userId: '' },
    { ...body, displayName: '' },
    { ...body, displayName: 'x'.repeat(101) },
    { ...body, displayName: 7 },
    { ...body, pictureUrl: 'http://example.org/a.png' },
    { ...body, pictureUrl: 'https://' },
    { ...body, pictureUrl: 'https:///path' },
    { ...body, pictureUrl: 'https://example.org/a b' },
    { ...body, pictureUrl: 'javascript:https://example.org' },
    { ...body, pictureUrl: `https://example.org/${'a'.repeat(481)}` },
    { ...body, language: 'zh' },
  ]
  expect(good.filter((value) => !Check(UserSyncBody, value))).toEqual([])
  expect(bad.filter((value) => Check(UserSyncBody, value))).toEqual([])
})

test('consent is a boolean and a phone a text or null', () => {
  expect(Check(PrivacyBody, { userId: 'U1', consent: false, version: '2026-1' })).toBe(true)
  expect(Check(PrivacyBody, { userId: 'U1', consent: 'true' })).toBe(false)
  expect(Check(PrivacyBody, { userId: 'U1', consent: true, version: 'x'.repeat(33) })).toBe(false)
  expect(
    [null, '0912-345-678', '', undefined, 912345678].map((phone) =>
      Check(PhoneBody, { userId: 'U1', phone }),
    ),
  ).toEqual([true, true, false, false, false])
})

test('the profile of the contract is a profile', () => {
  const profile = {
    userId: 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2',
    displayName: '林默娘',
    pictureUrl: null,
    language: 'zh-TW',
    status: 'active',
    privacyConsent: true,
    surveyCompleted: 1,
    hasPhone: true,
    phone: '+886•••••678',
    distanceKm: 12.345,
    walkedKm: 12.1,
    motorizedKm: 0.245,
    checkins: 4,
    photos: 0,
    level: {
      level: 1,
      nameZh: '煉氣香客',
      nameEn: 'Qi Refining Pilgrim',
      icon: '🔥',
      next: { level: 2, kmToGo: 2.655, checkinsToGo: 1 },
    },
    carbon: {
      travelKg: 0,
      trackedKg: 0.029,
      waterKg: 0,
      recycleKg: 0,
      hotelKg: 0,
      totalKg: 0.029,
      avoidedKg: 3.688,
    },
    achievement: { unlocked: true, missing: [] },
    lastSeenAt: '2026-05-01T15:00:00.000Z',
  }
  expect(Check(Profile, profile)).toBe(true)
  expect(Check(Profile, { ...profile, level: null, displayName: null, phone: null, lastSeenAt: null })).toBe(
    true,
  )
  expect(Check(Profile, { ...profile, surveyCompleted: true })).toBe(false)
})
