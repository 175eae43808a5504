import { DEVICES_MAX } from '@palanquin/domain/device'
import { DEVICE_OUTCOMES } from '@palanquin/domain/device-delivery'
import { Nullable } from '@palanquin/domain/optional'
import { PhoneApp } from '@palanquin/domain/phone-apps'
import { Iso } from '@palanquin/domain/time'
import { describe } from '@palanquin/service/http/openapi'
import Type from 'typebox'
import { USER_ID } from '../participants/examples.ts'

const tags = ['participants']
export const DeviceId = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'the id of a device, a UUID in lower case',
})

const Setup = Type.Object(
  {
    link: Type.Optional(Type.String({ description: 'opens the app on this phone and sets it up' })),
    qr: Type.Optional(Type.String({ description: 'the text of a QR code that the app or the camera opens' })),
    file: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: 'its name' }),
          type: Type.String({ description: 'its media type' }),
          content: Type.String({ description: 'its text' }),
        },
        { description: 'a file that the app imports' },
      ),
    ),
    fields: Type.Array(
      Type.Object({
        label: Type.String({ description: 'as the app calls it' }),
        value: Type.String({ description: 'to be copied' }),
      }),
      { description: 'the settings, one by one' },
    ),
  },
  { description: 'how the app is set up' },
)
export const Issued = Type.Object({
  deviceId: DeviceId,
  app: PhoneApp,
  token: Type.String({
    pattern: '^plq[0-9A-Za-z]{29}$',
    description: 'the write token; it is shown this once',
  }),
  url: Type.String({ description: 'where the app sends to' }),
  setup: Setup,
})

export const Device = Type.Object({
  deviceId: DeviceId,
  app: PhoneApp,
  name: Nullable(Type.String(), 'as its owner calls it'),
  createdAt: Iso,
  lastSeenAt: Nullable(Iso, 'when it last sent anything; null for never'),
  lastPointAt: Nullable(Iso, 'when its latest point was recorded'),
  lastOutcome: Nullable(Type.Enum([...DEVICE_OUTCOMES]), 'what became of what it sent last'),
  pointsToday: Type.Integer({ minimum: 0, description: 'points taken on this day of the event' }),
  battery: Nullable(Type.Integer({ minimum: 0, maximum: 100 }), 'per cent, as it last said'),
  charging: Nullable(Type.Boolean(), 'whether it was charging then'),
  version: Nullable(Type.String(), 'of the app, as it calls itself'),
  oldTokenUntil: Nullable(Iso, 'until when a token that was rotated is good'),
  problem: Nullable(Type.String(), 'what is wrong, in a sentence; null where its points arrive'),
})

const DEVICE_ID = '5f0c6c1e-4a43-4f3e-9a1e-0f3f3b6f9d11'
const TOKEN = 'plq00000000000000000000000000000'
const URL = 'https://walk.example/in/overland'
export const ISSUED = {
  deviceId: DEVICE_ID,
  app: 'overland',
  token: TOKEN,
  url: URL,
  setup: { fields: [{ label: 'Access Token', value: TOKEN }] },
}
export const LISTED = {
  deviceId: DEVICE_ID,
  app: 'overland',
  name: '媽媽的手機',
  createdAt: '2026-05-01T15:00:00.000Z',
  lastSeenAt: '2026-05-02T01:30:00.000Z',
  lastPointAt: '2026-05-02T01:29:58.000Z',
  lastOutcome: 'stored',
  pointsToday: 812,
  battery: 64,
  charging: false,
  version: 'Overland/1.4',
  oldTokenUntil: null,
  problem: null,
}

export const ISSUE = describe({
  summary: 'Let an app on a phone send positions',
  description: `Gives the app a write token: it appends points of one participant from one app, and reads nothing. A participant has at most ${DEVICES_MAX} devices.`,
  tags,
  example: { userId: USER_ID, app: 'overland', name: '媽媽的手機' },
  answers: { 201: { description: 'the device with its token', data: Issued, example: ISSUED } },
  apiErrors: ['invalid', 'unauthorized', 'forbidden', 'conflict', 'unavailable'],
})
export const LIST = describe({
  summary: 'The devices of a participant, and whether their points arrive',
  description: 'The caller’s own; an administrator names the participant.',
  tags,
  answers: {
    200: {
      description: 'the devices, without their tokens',
      data: Type.Object({ items: Type.Array(Device, { description: 'in the order of their making' }) }),
      example: { items: [LISTED] },
    },
  },
  apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
})
export const ROTATE = describe({
  summary: 'Give a device another write token',
  description: 'The token before is good for another day, so that the phone can be set up in between.',
  tags,
  answers: { 200: { description: 'the new token', data: Issued, example: ISSUED } },
  apiErrors: ['unauthorized', 'forbidden', 'notFound', 'unavailable'],
})
export const REVOKE = describe({
  summary: 'Revoke a device',
  description: 'Its token is unknown within seconds; the points that it sent stay.',
  tags,
  answers: {
    200: {
      description: 'it is revoked',
      data: Type.Object({ deviceId: DeviceId }),
      example: { deviceId: DEVICE_ID },
    },
  },
  apiErrors: ['unauthorized', 'forbidden', 'notFound', 'unavailable'],
})
