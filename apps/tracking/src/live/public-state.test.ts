import { expect, test } from 'bun:test'
import { PARTICIPANT_STATUSES, VISIBILITIES } from '@palanquin/domain/participant'
import fc from 'fast-check'
import { HIDDEN, publicStateOf } from './public-state.ts'

const participant = fc.record({
  displayName: fc.option(fc.string({ minLength: 1 })),
  consent: fc.boolean(),
  visibility: fc.constantFrom(...VISIBILITIES),
  status: fc.constantFrom(...PARTICIPANT_STATUSES),
  publicVersion: fc.nat(),
  changedAt: fc.nat(),
})

test('a name needs a dot, a dot needs to be counted, and that needs consent', () => {
  fc.assert(
    fc.property(participant, fc.boolean(), (given, isDevice) => {
      const { isCounted, isPublic, publicName } = publicStateOf(given, { isDevice })
      expect(isCounted).toBe(
        given.consent && given.visibility !== 'hidden' && given.status !== 'withdrawn' && !isDevice,
      )
      expect(isPublic).toBe(isCounted && given.visibility !== 'crowd')
      expect(publicName).toBe(isPublic && given.visibility === 'named' ? given.displayName : null)
    }),
    { seed: 1 },
  )
})

test('the unregistered have given no consent', () => {
  expect(publicStateOf(undefined, { isDevice: false })).toEqual(HIDDEN)
})
