import { expect, test } from 'bun:test'
import type { Profile } from '@palanquin/domain/participant'
import fc from 'fast-check'
import { type Basis, entryFormat, responseOf } from './cache-entry.ts'
import { PROFILE } from './examples.ts'

const SEED = 20261125
const format = entryFormat('total')

const version = fc.tuple(fc.stringMatching(/^(\d{1,13}-\d|)$/), fc.stringMatching(/^(\d{1,13}-\d\|\d+|)$/))
const versions = version.map((both) => both.join(' '))
const profiles = fc.string({ unit: 'binary' }).map((displayName): Profile => ({ ...PROFILE, displayName }))
const bases: fc.Arbitrary<Basis> = fc.record({
  walkedKm: fc.double({ min: 0, max: 1e4, noDefaultInfinity: true, noNaN: true }).map((km) => km + 0),
  motorizedKm: fc.constant(0.25),
  pendingCheckins: fc.nat(),
  cursor: fc.constantFrom('0-0', '1764000000000-12'),
  visibility: fc.constantFrom('crowd', 'named', null),
  consentAtMs: fc.constantFrom(1_764_000_000_000, null),
})

test('an entry of this version gives the very response, of any other none; whatever is in a name', () => {
  fc.assert(
    fc.property(versions, versions, profiles, bases, (version, other, profile, basis) => {
      const raw = format.write(version, { profile, basis })
      expect(format.responseOf(raw, version)).toBe(responseOf(profile))
      expect(format.parse(raw)).toEqual(JSON.parse(JSON.stringify({ profile, basis })))
      expect(format.responseOf(raw, other)).toBe(other === version ? responseOf(profile) : undefined)
    }),
    { seed: SEED, numRuns: 200 },
  )
})

test('tombstones, the layout of an older version, other levels, and what is cut off are no entries', () => {
  const whole = entryFormat('walked').write('1-0 ', { profile: PROFILE, basis: basisOfNothing })
  const ours = format.write('1-0 ', { profile: PROFILE, basis: basisOfNothing })
  const cut = [ours.slice(0, ours.indexOf('\n')), ours.slice(0, -1)]
  for (const raw of ['', 'dropped 0123', '{"version":"1-0 ","snapshot":{}}', whole, ...cut])
    expect(format.parse(raw)).toBeNull()
  for (const raw of ['', 'dropped 0123', '{"version":"1-0 ","snapshot":{}}', whole])
    expect(format.responseOf(raw, '1-0 ')).toBeUndefined()
})

const basisOfNothing: Basis = {
  walkedKm: 0,
  motorizedKm: 0,
  pendingCheckins: 0,
  cursor: '0-0',
  visibility: null,
  consentAtMs: null,
}
