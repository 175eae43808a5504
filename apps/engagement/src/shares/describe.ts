import { Nullable } from '@palanquin/domain/optional'
import { OwnShare, SharedPosition } from '@palanquin/domain/share'
import { describe } from '@palanquin/service/http/openapi'
import Type from 'typebox'

const tags = ['participants']
const TOKEN = 'Zk3v0uQhJ5xW8yTtR2aNfg'
const SHARE = {
  token: TOKEN,
  url: `/s/${TOKEN}`,
  createdAt: '2026-05-01T15:00:00.000Z',
  expiresAt: '2026-05-02T15:00:00.000Z',
  readers: 2,
}
const POSITION = {
  position: {
    lat: 24.5663,
    lng: 120.7081,
    accuracyM: 8,
    recordedAt: '2026-05-01T15:00:00.000Z',
    place: { county: { zh: '苗栗縣', en: 'Miaoli County' }, town: { zh: '通霄鎮', en: 'Tongxiao Township' } },
  },
  age: 42,
  battery: 61,
  expiresAt: SHARE.expiresAt,
}

export const OPEN_SHARE = describe({
  summary: 'Let my family see where I am',
  description:
    'A link that shows place, age and battery for so many hours. There is one at a time: while it is open, the same one lasts for so long from now.',
  tags,
  example: { hours: 24 },
  answers: { 201: { description: 'the link', data: OwnShare, example: SHARE } },
  apiErrors: ['invalid', 'unauthorized', 'unavailable'],
})
export const OWN_SHARE = describe({
  summary: 'My open link',
  tags,
  answers: {
    200: {
      description: 'the link, and how many look at it; null where none is open',
      data: Nullable(OwnShare, 'the link; null where none is open'),
      example: SHARE,
    },
  },
  apiErrors: ['unauthorized', 'unavailable'],
})
export const CLOSE_SHARE = describe({
  summary: 'Take my link back',
  description: 'It shows nothing any more, at once.',
  tags,
  answers: {
    200: {
      description: 'it has ended',
      data: Type.Object({ ended: Type.Boolean({ description: 'false where none was open' }) }),
      example: { ended: true },
    },
  },
  apiErrors: ['unauthorized', 'unavailable'],
})
export const SHARED = describe({
  summary: 'Where the person of a link is',
  description:
    'For everybody who has the link: place, age and battery, and nothing else. The newest twenty readers are counted. 410 once it has ended, was taken back, or while the person has withdrawn.',
  tags,
  answers: { 200: { description: 'the latest position', data: SharedPosition, example: POSITION } },
  apiErrors: ['invalid', 'notFound', 'gone', 'unavailable'],
})
