import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LastReads, type ReadFrom } from './last-reads.ts'

/** A row that a transaction wrote: when, and when others could see it. */
type Written = { writer: number; changedAt: number; committedAt: number | undefined }

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('write' as const), heldMs: fc.integer({ min: 0, max: 2_900 }) }),
    fc.record({ do: fc.constant('read' as const), isCrossed: fc.boolean() }),
    fc.record({ do: fc.constant('overwrite' as const) }),
  ),
  { minLength: 20, maxLength: 120 },
)

/** As the statement finds rows. */
const isFound = ({ since, overlapS, oldestWriter }: ReadFrom, row: Written, now: number): boolean =>
  row.committedAt !== undefined &&
  row.committedAt <= now &&
  row.changedAt > since - overlapS * 1_000 &&
  row.writer >= Number(oldestWriter)

test('a read after a commit finds what statements of up to three seconds wrote, and what a doubt has taken back', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const reads = new LastReads()
      const rows: Written[] = []
      const kept = new Set<number>()
      let now = 1_000_000
      for (const step of history) {
        now += 100
        if (step.do === 'write')
          rows.push({ writer: rows.length + 3, changedAt: now, committedAt: now + step.heldMs })
        else if (step.do === 'overwrite') {
          const recent = rows.filter((row) => kept.has(row.writer) && row.changedAt > now - 2_000)
          for (const { writer } of recent.slice(-1)) {
            kept.delete(writer)
            reads.doubt()
          }
        } else {
          const running = rows.filter(({ committedAt = now }) => committedAt > now)
          const oldest = Math.min(rows.length + 3, ...running.map(({ writer }) => writer))
          const { done, ...from } = reads.begin({ readAt: now, oldestWriter: String(oldest) })
          if (step.isCrossed) reads.doubt()
          for (const row of rows.filter((row) => isFound(from, row, now))) {
            kept.add(row.writer)
          }
          done()
          for (const row of rows)
            if ((row.committedAt ?? now) <= now && row.changedAt > now - 2_000)
              expect(kept.has(row.writer)).toBe(true)
        }
      }
    }),
    { seed: 42, numRuns: 300 },
  )
})

test('what a read has shown is not read again, except after a doubt, and by a long read too', () => {
  const reads = new LastReads()
  const moment = (readAt: number) => ({ readAt, oldestWriter: String(readAt) })
  reads.all(moment(1))
  for (let at = 2; at <= 20; at++) reads.begin(moment(at)).done()
  const quiet = reads.begin(moment(21))
  expect(quiet).toMatchObject({ since: 20, overlapS: 3, oldestWriter: '20' })
  quiet.done()
  reads.doubt()
  const doubtful = reads.begin(moment(22))
  expect(doubtful).toMatchObject({ since: 21, oldestWriter: '0' })
  doubtful.done()
  expect(reads.begin(moment(23)).oldestWriter).toBe('22')
  const longs = Array.from({ length: 12 }, (_, n) => {
    const { done, ...from } = reads.begin(moment(24 + n))
    done()
    return from
  }).filter(({ overlapS }) => overlapS === 30)
  expect(longs.map(({ oldestWriter }) => oldestWriter)).toEqual(['0', String(longs[1]?.since)])
})
