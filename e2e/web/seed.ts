import { dataOf } from '@palanquin/stack/api'
import { countEverybody } from '@palanquin/stack/testing/count-everybody'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'

const Id = Type.Object({ id: Type.String() })
const Fixes = Type.Array(Type.Object({ lat: Type.Number(), recordedAt: Type.String() }))
/** Baishatun, where the route starts, and Dajia on the way. */
export const BAISHATUN = { lat: 24.5663, lng: 120.7081 }
export const DAJIA = { lat: 24.3457, lng: 120.6238 }

export const CARRIER = 'device-of-the-palanquin'
const CROWD = 40
const PALANQUIN = { zh: '白沙屯媽祖鑾轎', en: 'Mazu palanquin' }

async function create(stack: ThrowawayStack, path: string, body: object): Promise<string> {
  return dataOf(Id, await stack.api.post(path, body, stack.api.as('manager'))).id
}

/** The palanquin's device checks in at a place, and the public list of beacons says so by this new fix. */
export async function palanquinAt(stack: ThrowawayStack, place: { lat: number; lng: number }): Promise<void> {
  const recordedAt = new Date()
  const checkIn = { userId: CARRIER, ...place, accuracy: 8, recordedAt: recordedAt.toISOString() }
  const { status } = await stack.api.post('/checkin', checkIn)
  if (status !== 202) throw new Error(`the check-in of the palanquin answered ${status}`)
  await until(
    async () =>
      dataOf(Fixes, await stack.api.get('/beacons')).some(
        (fix) => fix.lat === place.lat && Date.parse(fix.recordedAt) >= recordedAt.getTime(),
      ),
    { what: 'the palanquin in the list of beacons' },
  )
}

/** Appoints a palanquin, which is nowhere until its device reports. */
export const appointPalanquin = (stack: ThrowawayStack): Promise<string> =>
  create(stack, '/admin/beacons', { kind: 'palanquin', name: PALANQUIN, devices: [CARRIER] })

/** What organisers write of a place, or in a notice: markup that must be shown as text. */
export const MARKUP = '<b>粗體</b><script>window.broken = true</script>'

/** A planned way of 120 km. */
export async function publishRoute(stack: ThrowawayStack): Promise<void> {
  const coordinates = [
    [BAISHATUN.lng, BAISHATUN.lat],
    [120.6785, 24.4914],
    [120.6416, 24.4],
    [DAJIA.lng, DAJIA.lat],
    [120.5417, 24.08],
    [120.4056, 23.84],
    [120.3011, 23.5757],
  ]
  const route = await stack.api.post(
    '/admin/route',
    { type: 'LineString', coordinates },
    stack.api.as('owner'),
  )
  if (route.status >= 300) throw new Error(`the route was answered ${route.status}`)
}

/** Places, a notice and a route by the organisers, and consenting participants close together. */
export async function publishGuide(stack: ThrowawayStack): Promise<void> {
  for (const [kind, name, place] of [
    ['supply', { zh: '慈惠宮補給站', en: 'Cihui Temple, food and water' }, { lat: 24.51, lng: 120.68 }],
    ['toilet', { zh: '通霄車站', en: 'Tongxiao Station' }, { lat: 24.4914, lng: 120.6785 }],
    ['medical', { zh: MARKUP, en: MARKUP }, { lat: 24.42, lng: 120.65 }],
    ['pickup', { zh: '大甲接駁', en: 'Dajia shuttle' }, DAJIA],
  ] as const)
    await create(stack, '/admin/places', { kind, name, note: name, ...place })
  await create(stack, '/admin/notices', {
    level: 'warning',
    until: '2099-01-01T00:00:00Z',
    zh: '台1線請靠右行走。',
    en: 'Please keep right on Route 1.',
  })
  await create(stack, '/admin/notices', { level: 'info', zh: MARKUP, en: MARKUP, until: null })
  await publishRoute(stack)
  await Promise.all(
    Array.from({ length: CROWD }, async (_, index) => {
      const userId = `pilgrim-${index}`
      await stack.api.post('/privacy', { userId, consent: true })
      const lat = BAISHATUN.lat - Math.floor(index / 5) * 0.02
      const lng = BAISHATUN.lng - Math.floor(index / 5) * 0.007
      await stack.api.post('/checkin', { userId, lat, lng, accuracy: 9 })
    }),
  )
  await until(
    async () => {
      await countEverybody(stack)
      return /"n":\[\d/.test(JSON.stringify((await stack.api.get('/density')).body))
    },
    { what: 'the density' },
  )
}
