import { DEFAULT_CONSENT } from '@palanquin/domain/consent'

const ID = '0197a3c4-6c1e-7c1a-9a43-4f2f6b1c9e10'
const NAME = { zh: '慈惠宮補給站', en: 'Cihui Temple, food and water' }
const NOTE = { zh: '熱粥、茶水，到晚上十點', en: 'Hot porridge and tea until ten' }

export const PLACE = { id: ID, kind: 'supply', name: NAME, note: NOTE, lat: 23.9583, lng: 120.5712 }
export const PLACE_FEATURE = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      id: ID,
      geometry: { type: 'Point', coordinates: [120.5712, 23.9583] },
      properties: { kind: 'supply', name: NAME, note: NOTE },
    },
  ],
}
export const ROUTE_FEATURE = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [120.7081, 24.5663],
          [120.6823, 24.4921],
        ],
      },
      properties: {},
    },
  ],
}
export const NOTICE = {
  id: ID,
  at: '2026-05-01T15:00:00.000Z',
  level: 'warning',
  zh: '台1線員林段請靠右行走。',
  en: 'Please keep right on Route 1 in Yuanlin.',
  until: '2026-05-01T21:00:00.000Z',
}
export const CONSENT = { version: '1', ...DEFAULT_CONSENT }
