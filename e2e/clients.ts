import type { Reply } from '@palanquin/stack/api'
import { rollingRestart } from '@palanquin/stack/lifecycle/rolling-restart'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { GATEWAY } from '@palanquin/stack/units/services'
import { type Ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'

const LANES = ['a', 'b', 'c', 'd']
const PAUSE_MS = 60
/** A 503 is counted, not asked again. */
const ONCE = { once: true }

/** A check-in whose outcome is recorded in the ledger. */
export async function checkin(
  { stack, book }: { stack: ThrowawayStack; book: Ledger },
  { userId, index }: { userId: string; index: number },
): Promise<Reply> {
  const recordedAt = Date.now()
  const reply = await stack.api.post(
    '/checkin',
    { userId, lat: 23.5 + index / 10_000, lng: 120.4, recordedAt },
    ONCE,
  )
  book.note(pointKey({ userId, kind: 'checkin', recordedAt }), outcomeOf(reply.status))
  return reply
}

/** Typical client requests. */
const requestsOf = (
  world: { stack: ThrowawayStack; book: Ledger },
  userId: string,
  index: number,
): Record<string, () => Promise<Reply>> => {
  const { api } = world.stack
  const recordedAt = Date.now()
  const point = { lat: 23.5, lng: 120.4 + index / 10_000, recordedAt }
  return {
    'a check-in': () => checkin(world, { userId, index }),
    'a sync': async () => {
      const reply = await api.post('/track/sync', { userId, points: [point] }, ONCE)
      world.book.note(pointKey({ userId, kind: 'track', recordedAt }), outcomeOf(reply.status))
      return reply
    },
    'a profile': () => api.post('/user/sync', { userId, displayName: `Pilgrim ${index}` }, ONCE),
    'a look at it': () => api.get(`/user/${userId}`, ONCE),
    'a consent': () => api.post('/privacy', { userId, consent: true }, ONCE),
    'the map': () => api.get('/data', ONCE),
    'photos counted': () => api.get(`/photos/count?userId=${userId}`, ONCE),
  }
}

/** Enough requests of each kind to meet every restart, however slow the machine is. */
const ANSWERED_MIN = 100

/** Clients that send requests, each once, while `work` runs and until enough were answered. */
async function failuresDuring(
  world: { stack: ThrowawayStack; book: Ledger },
  work: () => Promise<void>,
): Promise<string[]> {
  const failed: string[] = []
  let [working, answered] = [true, 0]
  const lane = async (name: string) => {
    for (let index = 0; working || (answered < ANSWERED_MIN && failed.length === 0); index++)
      for (const [request, send] of Object.entries(requestsOf(world, `${name}-${index}`, index))) {
        const status = await send().then(
          (reply) => reply.status,
          (error: Error) => error.message,
        )
        if (typeof status === 'string' || status >= 400) failed.push(`${request}: ${status}`)
        else answered++
        await Bun.sleep(PAUSE_MS)
      }
  }
  const lanes = LANES.map(lane)
  try {
    await work()
  } finally {
    working = false
    await Promise.all(lanes)
  }
  return failed
}

/** Restarts every copy of every service except the gateway while clients send requests. */
export async function restartUnderLoad(world: { stack: ThrowawayStack; book: Ledger }) {
  const { services } = world.stack.running()
  const before = new Set(Object.values(services).map(({ pid }) => pid))
  const names = Object.keys(services).filter((name) => name !== GATEWAY)
  const failed = await failuresDuring(world, () => rollingRestart(world.stack.home, { names, log: () => {} }))
  const after = Object.values(world.stack.running().services).map(({ pid }) => pid)
  return { failed, kept: after.filter((pid) => before.has(pid)).length }
}
