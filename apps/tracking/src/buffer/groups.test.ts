import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { divide, reunite } from './groups.ts'

test('a batch is divided by key in its order, and results come back in the order of the batch', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 9 })), (keys) => {
      const batch = keys.map((key, place) => ({ key, place }))
      const groups = divide(batch, ({ key }) => key)
      for (const { key, members } of groups)
        expect(members).toEqual(batch.filter((member) => member.key === key))
      const results = groups.flatMap(({ members }) => members)
      expect(reunite(groups, results)).toEqual(batch)
    }),
    { seed: 20261125, numRuns: 500 },
  )
})
