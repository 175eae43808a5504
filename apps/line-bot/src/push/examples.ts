/** For the API document. */
export const PUSH_ID = '6f9a1c52-3c1b-4a4e-9a6e-0d3e5b7c9f10'
export const PUSH = {
  pushId: PUSH_ID,
  state: 'sent',
  recipients: 10_214,
  sent: 10_002,
  failed: 0,
  blocked: 180,
  skipped: 32,
  reason: null,
  scheduledAt: null,
  createdAt: '2026-05-01T15:00:00.000Z',
  finishedAt: '2026-05-01T15:00:04.120Z',
}
