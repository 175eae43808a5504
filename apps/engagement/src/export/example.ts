import { PROFILE } from '../participants/examples.ts'

const CHECKIN = {
  recordedAt: '2026-05-01T15:00:00.000Z',
  receivedAt: '2026-05-01T15:00:00.310Z',
  kind: 'checkin',
  lat: 24.5663,
  lng: 120.7081,
  accuracy: 8,
  speed: null,
  altitude: null,
  heading: null,
  source: 'liff',
  note: '平安',
  battery: 62,
  carriesBeacon: false,
}
export const SUBMISSION = {
  submittedAt: '2026-05-03T09:12:44.120Z',
  answers: [
    {
      id: 'q1',
      question: {
        zh: '這趟進香途中，您做過或看見了哪些善行？',
        en: 'Which good deeds did you do, or see others do, along the way?',
      },
      answer: [{ zh: '沿路撿拾垃圾', en: 'Picked up litter along the road' }],
    },
  ],
}

/** For the API document. */
export const EXPORT = {
  exportedAt: '2026-05-03T10:00:00.000Z',
  profile: {
    ...PROFILE,
    phone: '+886912345678',
    surveyCompleted: 1,
    role: null,
    createdAt: '2026-05-01T14:58:00.000Z',
  },
  consents: [
    { consent: true, version: '1', visibility: 'anonymous', recordedAt: '2026-05-01T14:58:00.000Z' },
  ],
  survey: SUBMISSION,
  surveyHistory: [SUBMISSION],
  feedback: [],
  photos: [{ id: '0198c0de-7a31-7c2e-9d4b-1f60a4b7c812', createdAt: '2026-05-01T15:00:00.000Z' }],
  cards: [{ generatedAt: '2026-05-03T09:30:00.000Z' }],
  devices: [
    {
      deviceId: '0198c0de-7a31-7c2e-9d4b-1f60a4b7c813',
      app: 'owntracks',
      name: null,
      createdAt: '2026-05-01T15:10:00.000Z',
    },
  ],
  sessions: [
    {
      kind: 'device',
      device: 'iPhone · Safari',
      createdAt: '2026-05-01T14:57:00.000Z',
      lastSeenAt: '2026-05-01T15:57:00.000Z',
      expiresAt: '2026-05-31T14:57:00.000Z',
      endedAt: null,
    },
  ],
  shares: [{ createdAt: '2026-05-01T15:00:00.000Z', expiresAt: '2026-05-02T15:00:00.000Z', endedAt: null }],
  carries: [],
  checkins: [CHECKIN],
  points: [CHECKIN],
}
