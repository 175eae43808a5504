import { Nullable } from '@palanquin/domain/optional'
import { SETUP_LINK_MS, SetupCode } from '@palanquin/domain/setup-link'
import { Iso } from '@palanquin/domain/time'
import { describe } from '@palanquin/service/http/openapi'
import Type from 'typebox'
import { USER_ID } from '../../participants/examples.ts'
import { Device, ISSUED, Issued, LISTED } from '../describe.ts'

const tags = ['participants']
const CODE = '4f7Tq0bWc9KzR2mXv8LhDs'
const SECRETS = { code: CODE, key: 'Zk3v0uQhJ5xW8yTtR2aNfg' }
const MINUTES = SETUP_LINK_MS / 60_000

export const MAKE = describe({
  summary: 'Make a link by which a phone app is set up',
  description: `For another phone, or for somebody else's: the browser that opens it within ${MINUTES} minutes chooses an app, which then sends for this participant. It works in one browser.`,
  tags,
  example: { userId: USER_ID, name: '媽媽的手機' },
  answers: {
    201: {
      description: 'the link',
      data: Type.Object({
        code: SetupCode,
        url: Type.String({ description: 'the address of the page' }),
        expiresAt: Iso,
      }),
      example: {
        code: CODE,
        url: `https://walk.example/setup/${CODE}`,
        expiresAt: '2026-05-01T15:15:00.000Z',
      },
    },
  },
  apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
})
export const OPEN = describe({
  summary: 'Choose the app of a set-up link',
  description:
    'The code alone is needed. The browser that chose first may choose another app while the link lasts: the token of the one before is revoked.',
  tags,
  example: { ...SECRETS, app: 'overland' },
  answers: { 201: { description: 'the device with its token', data: Issued, example: ISSUED } },
  apiErrors: ['invalid', 'notFound', 'conflict', 'gone', 'unavailable'],
})
export const STATUS = describe({
  summary: 'What became of a set-up link, and whether points arrive',
  description: 'For the page that waits for the first point, in the browser that chose the app; for a day.',
  tags,
  example: SECRETS,
  answers: {
    200: {
      description: 'the link',
      data: Type.Object({
        state: Type.Enum(['open', 'chosen', 'revoked'], {
          description: 'whether an app was chosen, and revoked since',
        }),
        device: Nullable(Device, 'the device of the app that was chosen'),
      }),
      example: { state: 'chosen', device: LISTED },
    },
  },
  apiErrors: ['invalid', 'notFound', 'conflict', 'gone', 'unavailable'],
})
