/** What the API answers while the pages are photographed: always the same, at one moment of an activity. */

export const NOW = '2026-04-14T08:30:00+08:00'
const START = '2026-04-12T23:50:00+08:00'
const secondsAgo = (seconds: number) => new Date(Date.parse(NOW) - seconds * 1_000).toISOString()
const both = (zh: string, en: string) => ({ zh, en })

const ROUTE: [number, number][] = [
  [120.7081, 24.5663],
  [120.6785, 24.4914],
  [120.6416, 24.4],
  [120.6238, 24.3457],
  [120.5417, 24.08],
  [120.4056, 23.84],
  [120.3011, 23.5757],
]
const line = (coordinates: [number, number][]) => ({ type: 'LineString', coordinates })
const feature = (geometry: object, properties: object, id?: string) => ({
  type: 'Feature',
  ...(id && { id }),
  geometry,
  properties,
})
const place = (kind: string, zh: string, en: string, coordinates: [number, number]) =>
  feature(
    { type: 'Point', coordinates },
    { kind, name: both(zh, en), note: null },
    `${kind}-${coordinates[1]}`,
  )

const beacon = (ageSeconds: number) => ({
  id: 'palanquin',
  kind: 'palanquin',
  name: both('白沙屯媽祖鑾轎', 'Mazu palanquin'),
  lat: 24.3457,
  lng: 120.6238,
  recordedAt: secondsAgo(ageSeconds),
  accuracyM: 8,
  speedKmh: 4.2,
  heading: 190,
  state: 'moving',
  restingSince: null,
  place: { county: both('臺中市', 'Taichung City'), town: both('大甲區', 'Dajia District') },
})

export type Status = 'upcoming' | 'active' | 'paused' | 'ended'
export type Moment = { status: Status; palanquin: 'live' | 'stale' | 'nowhere' }
const AGE_SECONDS = { live: 20, stale: 8 * 60 }
const MESSAGE = both(
  '午後雷陣雨，請就近避雨，等候廣播。',
  'Thunderstorm: please take shelter and wait for the announcement.',
)

/** The answers by the end of their path. Others come from the stack. */
export function answersAt({ status, palanquin }: Moment): Record<string, unknown> {
  const cells = Array.from({ length: 60 }, (_, index) => index)
  return {
    '/activity': {
      status,
      since: secondsAgo(2_400),
      message: status === 'paused' ? MESSAGE : null,
      name: both('白沙屯媽祖進香', 'Baishatun Mazu Pilgrimage'),
      dates: '2026/4/12 – 4/20',
      startsAt: START,
      endsAt: null,
      timezone: 'Asia/Taipei',
      consentVersion: '2026-1',
      bounds: { west: 120.1, south: 23.5, east: 121, north: 24.7 },
      features: { line: true, auth: false, survey: status !== 'ended', photos: true },
    },
    '/beacons': palanquin === 'nowhere' ? [] : [beacon(AGE_SECONDS[palanquin])],
    '/trail': feature(line(ROUTE.slice(0, 4)), {
      times: ROUTE.slice(0, 4).map((_, i) => Date.parse(START) + i * 6e6),
    }),
    '/density': {
      // Behind the palanquin, along the route.
      cellDegrees: 0.0025,
      west: 120.6,
      south: 24.3,
      x: cells.map((index) => 9 + Math.round(0.375 * index) + (index % 3)),
      y: cells.map((index) => 18 + index),
      n: cells.map((index) => 3 + ((index * 37) % 90)),
    },
    '/places': {
      type: 'FeatureCollection',
      features: [
        place('supply', '鎮瀾宮補給站', 'Jenn Lann Temple, food and water', [120.6236, 24.3447]),
        place('toilet', '大甲車站', 'Dajia Station', [120.6272, 24.3444]),
        place('medical', '清水醫護站', 'Qingshui first aid', [120.5687, 24.2687]),
        place('rest', '沙鹿國小', 'Shalu Elementary School', [120.5657, 24.2334]),
        place('pickup', '彰化接駁點', 'Changhua shuttle', [120.5417, 24.08]),
      ],
    },
    '/route': { type: 'FeatureCollection', features: [feature(line(ROUTE), {})] },
    '/notices': [
      {
        id: 'one',
        at: secondsAgo(600),
        level: 'warning',
        until: '2026-04-14T12:00:00+08:00',
        ...both('台1線請靠右行走。', 'Please keep right on Route 1.'),
      },
    ],
    '/consent': {
      version: '2026-1',
      ...both(
        '我們記錄您的位置，用來顯示人潮與計算里程。',
        'We record your position to show the crowd and to count kilometres.',
      ),
    },
  }
}
