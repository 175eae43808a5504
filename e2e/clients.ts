import type { Reply } from '@palanquin/stack/api'
import type { ThrowawayStack } from '@palanquin/stack/throwaway-stack'
import { type Ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'

const LANES = ['a', 'b', 'c', 'd']
const PAUSE_MS = 60

/** A check-in whose outcome is noted in the book. */
export async function checkin(
  { stack, book }: { stack: ThrowawayStack; book: Ledger },
  { userId, index }: { userId: string; index: number },
): Promise<Reply> {
  const recordedAt = Date.now()
  const reply = await stack.api.post('/checkin', {
    userId,
    lat: 23.5 + index / 10_000,
    lng: 120.4,
    recordedAt,
  })
  book.note(pointKey({ userId, kind: 'checkin', recordedAt }), outcomeOf(reply.status))
  return reply
}

/** What clients do all day. */
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
      const reply = await api.post('/track/sync', { userId, points: [point] })
      world.book.note(pointKey({ userId, kind: 'track', recordedAt }), outcomeOf(reply.status))
      return reply
    },
    'a profile': () => api.post('/user/sync', { userId, displayName: `Walker ${index}` }),
    'a look at it': () => api.get(`/user/${userId}`),
    'a consent': () => api.post('/privacy', { userId, consent: true }),
    'the map': () => api.get('/data'),
    'photos counted': () => api.get(`/photos/count?userId=${userId}`),
  }
}

/** Clients that call all the time while `work` goes on, each request once; what failed, and how many did not. */
export async function callingDuring(
  world: { stack: ThrowawayStack; book: Ledger },
  work: () => Promise<void>,
): Promise<{ failed: string[]; answered: number }> {
  const failed: string[] = []
  let [going, answered] = [true, 0]
  const lane = async (name: string) => {
    for (let index = 0; going; index++)
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
    going = false
    await Promise.all(lanes)
  }
  return { failed, answered }
}
