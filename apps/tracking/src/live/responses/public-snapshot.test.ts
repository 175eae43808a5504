import { expect, setDefaultTimeout, setSystemTime, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { createLiveCrowd } from '../../../test/live-crowd.ts'
import { createBuffers } from './buffers.ts'
import { createPublicMap } from './public-snapshot.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PARTICIPANTS = 100
const REPLACED = 5

test('a clock that is set back does not keep an old map', async () => {
  const view = createLiveCrowd(PARTICIPANTS)
  const publicMap = createPublicMap({ view, buffers: createBuffers() })
  const first = publicMap('json', { reset: false })
  const [slot = 0] = view.map.slots.all()
  view.map.addPendingCheckin(slot, [Number.MAX_SAFE_INTEGER, 0], 1)
  setSystemTime(Date.now() - 3_600_000)
  try {
    await until(() => publicMap('json', { reset: false }) !== first, { what: 'another map' })
  } finally {
    setSystemTime()
  }
})

test('a map that another one has replaced is not kept in memory', async () => {
  const view = createLiveCrowd(PARTICIPANTS)
  let now = 0
  const publicMap = createPublicMap({ view, buffers: createBuffers(), now: () => now })
  const build = (): WeakRef<object> => {
    const [slot = 0] = view.map.slots.all()
    view.map.addPendingCheckin(slot, [Number.MAX_SAFE_INTEGER, 0], 1)
    now += 60_000
    const body = publicMap('json', { reset: false })
    expect(body.plain().size).toBe(body.length)
    return new WeakRef(body)
  }
  const bodies: WeakRef<object>[] = []
  for (let round = 0; round <= REPLACED; round++) {
    bodies.push(build())
    await Bun.sleep(0)
  }
  const kept = () => {
    Bun.gc(true)
    return bodies.filter((body) => body.deref()).length
  }
  // The collector takes whatever looks like an address on the stack for one, so one or the other may stay.
  await until(() => kept() <= REPLACED / 2, { what: 'the maps before are gone' })
  expect(bodies.at(-1)?.deref()).toBe(publicMap('json', { reset: false }))
})
