import { setOut } from '../src/throwaway-stack.ts'
import type { Benchmark } from './benchmark.ts'
import { measureReads } from './reads.ts'
import { MANY_READS, NO_FLUSH } from './settings.ts'

const CONNECTIONS = 64
/** As of `checkin`; more reads at once than 448 are told to come again. */
const CROWD = 256
const WANTED = 0.25
const USER_ID = 'U0123456789abcdef0123456789abcdef'

/** A participant's page, from the cache, against the same bytes from memory. */
export const profile: Benchmark = {
  name: 'profile',
  question:
    'GET /user/{userId} from the cache, through gateway and engagement, against the same bytes from a bare TLS Bun.serve',
  better: 'more',
  wanted: WANTED,
  run: async (_, { quick }) => {
    const stack = await setOut({ ...NO_FLUSH, ...MANY_READS })
    try {
      const walker = { userId: USER_ID, displayName: '阿明', lat: 24.1, lng: 120.6 }
      await stack.api.post('/user/sync', walker)
      await stack.api.post('/checkin', walker)
      await stack.api.flush()
      await stack.api.profile(USER_ID)
      const path = `${new URL(stack.api.base).pathname}/user/${USER_ID}`
      const measure = (connections: number) =>
        measureReads(stack, { path, from: 'memory', connections, quick })
      const measured = await measure(CONNECTIONS)
      const crowd = await measure(CROWD)
      return {
        ...measured,
        also: [{ name: `profile, ${CROWD} connections`, better: 'more', wanted: WANTED, ...crowd }],
      }
    } finally {
      await stack.close()
    }
  },
}
