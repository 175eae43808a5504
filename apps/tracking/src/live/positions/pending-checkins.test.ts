import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type EntryNumber, isAfter } from './cursor.ts'
import { PendingCheckins } from './pending-checkins.ts'

type Checkin = { entry: EntryNumber; recordedAt: number }

test('lists of check-ins count what arrays would, whatever is added, flushed and dropped', () => {
  const entry = fc.tuple(fc.nat(20), fc.nat(2))
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), who: fc.nat(4), entry, recordedAt: fc.nat(5) }),
    fc.record({ kind: fc.constant('flush' as const), who: fc.nat(4), entry }),
    fc.record({ kind: fc.constant('drop' as const), who: fc.nat(4) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const pending = new PendingCheckins()
      const lists = [0, 0, 0, 0, 0]
      const model: Checkin[][] = [[], [], [], [], []]
      for (const one of steps) {
        const { who } = one
        const [list = 0, known = []] = [lists[who], model[who]]
        if (one.kind === 'add') {
          lists[who] = pending.add(list, one.entry, one.recordedAt)
          known.push(one)
        } else if (one.kind === 'flush') {
          lists[who] = pending.keepAfter(list, one.entry)
          model[who] = known.filter((checkin) => isAfter(checkin.entry, one.entry))
        } else {
          pending.drop(list)
          lists[who] = 0
          model[who] = []
        }
        expect(pending.size()).toBe(model.flat().length)
        for (const [at, checkins] of model.entries())
          expect(pending.count(lists[at] ?? 0)).toBe(
            new Set(checkins.map(({ recordedAt }) => recordedAt)).size,
          )
      }
    }),
    { seed: 20261123, numRuns: 300 },
  )
})
