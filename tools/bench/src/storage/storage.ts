import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import type { Benchmark } from '../benchmark.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { type Sizes, storeNineDays } from './nine-days.ts'
import { bytesOfRows } from './stored-rows.ts'

const ROWS = 10_000_000
const QUICK_ROWS = 13_000
const BYTES_MAX = 30
/** The packer comes each second. */
const SETTINGS = { ...BENCH_SETTINGS, PACK_SCHEDULE: '* * * * * *' }

/** Disk space of a stored point, indexes included, on average over nine days that end now. */
export const storage: Benchmark = {
  name: 'storage',
  question: `bytes on disk a point, indexes included, on average over nine days of ${ROWS.toLocaleString('en-US')} points that end now (--rows N: fewer), against ${BYTES_MAX}`,
  better: 'less',
  wanted: 1,
  run: async (log, { quick, rows }) => {
    const points = rows ?? (quick ? QUICK_ROWS : ROWS)
    const stack = await startThrowawayStack(SETTINGS)
    try {
      const sevenDecimals = await storeNineDays(stack, { points, every: false, log })
      const everyDigit = await storeNineDays(stack, { points: Math.ceil(points / 4), every: true, log })
      const row = await bytesOfRows(stack.sql, Math.min(points, 1_000_000))
      const unit = 'bytes a point'
      const yardstick = [BYTES_MAX]
      const of = ({ bytes, points }: Sizes) => [bytes / points]
      return {
        unit,
        yardstick,
        ours: of(sevenDecimals),
        notes: [inWords(sevenDecimals)],
        also: [
          {
            name: 'storage of every digit',
            better: 'less',
            wanted: 1,
            unit,
            yardstick,
            ours: of(everyDigit),
            notes: [`places with 15 digits, as iPhones send them; ${inWords(everyDigit)}`],
          },
          {
            name: 'storage of a row',
            better: 'less',
            unit,
            yardstick,
            ours: [row],
            notes: ['a point of the last hours, before it is packed'],
          },
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

function inWords({ points, rows, packed, bytes, bytesOfRows }: Sizes): string {
  const many = (count: number) => count.toLocaleString('en-US')
  const each = (bytes - bytesOfRows) / Math.max(1, packed)
  return `${many(points)} points: ${many(packed)} packed at ${each.toFixed(1)} bytes, ${many(rows)} of the last hours as rows, whose partitions take ${(bytesOfRows / 1e6).toFixed(0)} of ${(bytes / 1e6).toFixed(0)} MB`
}
