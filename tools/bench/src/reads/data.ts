import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import type { Benchmark } from '../benchmark.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { checkInParticipants } from './map-participants.ts'
import { measureReads } from './measure-reads.ts'

const PARTICIPANTS = 100_000
const QUICK_PARTICIPANTS = 5_000
const CONNECTIONS = 16
const COMPRESSED = { 'accept-encoding': 'gzip' }
const WANTED = 0.6

/** The whole map for all, against a file of the same bytes. */
export const data: Benchmark = {
  name: 'data',
  question: `GET /data of ${PARTICIPANTS.toLocaleString('en-US')} participants as columns, compressed, from the snapshot; against a file of the same bytes from Bun.serve over TLS`,
  better: 'more',
  wanted: WANTED,
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    try {
      await checkInParticipants(stack, quick ? QUICK_PARTICIPANTS : PARTICIPANTS)
      log('all participants are on the map')
      const path = `${new URL(stack.api.base).pathname}/data`
      const reads = { headers: COMPRESSED, from: 'file', connections: CONNECTIONS, quick } as const
      const columns = await measureReads(stack, { ...reads, path: `${path}?format=columns` })
      const json = await measureReads(stack, { ...reads, path })
      return { ...columns, also: [{ name: 'data as JSON', better: 'more', wanted: WANTED, ...json }] }
    } finally {
      await stack.close()
    }
  },
}
