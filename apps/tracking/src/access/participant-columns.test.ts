import { expect, test } from 'bun:test'
import { PARTICIPANT_STATUSES, VISIBILITIES } from '@palanquin/domain/participant'
import fc from 'fast-check'
import { type Participant, ParticipantColumns } from './participant-columns.ts'

const SEED = 20261122
const userId = fc.constantFrom('a', 'b', 'c', `U${'0a'.repeat(16)}`, `U${'0b'.repeat(16)}`)
const participant: fc.Arbitrary<Participant> = fc.record({
  displayName: fc.option(
    fc.oneof(fc.string({ unit: 'binary', maxLength: 120 }), fc.constantFrom('阿明', '"\\', '\ud800')),
  ),
  consent: fc.boolean(),
  visibility: fc.constantFrom(...VISIBILITIES),
  status: fc.constantFrom(...PARTICIPANT_STATUSES),
  publicVersion: fc.nat(),
  changedAt: fc.nat(2 ** 45),
})

test('columns hold what a map of objects would, whatever is put and deleted', () => {
  const step = fc.record({ userId, participant: fc.option(participant) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, names) => {
      const columns = new ParticipantColumns({ names })
      const model = new Map<string, Participant>()
      for (const { userId: id, participant: given } of steps) {
        if (given) {
          columns.put(id, given)
          model.set(id, names ? given : { ...given, displayName: null })
        } else {
          columns.delete(id)
          model.delete(id)
        }
        expect(columns.get(id)).toEqual(model.get(id))
        expect(columns.has(id)).toBe(model.has(id))
      }
      expect([...columns.slots()].map((slot) => columns.people.idOf(slot)).toSorted()).toEqual(
        [...model.keys()].toSorted(),
      )
      for (const [id, { displayName, changedAt }] of model) {
        const slot = columns.people.slotOf(id)
        const json = new Uint8Array(columns.nameJsonBytes(slot))
        columns.copyNameJson(slot, json, 0)
        expect(new TextDecoder().decode(json)).toBe(displayName === null ? '' : JSON.stringify(displayName))
        expect(columns.changedAt(slot)).toBe(changedAt)
      }
      for (const id of model.keys()) columns.delete(id)
      expect(columns.reserved().every((bytes) => bytes.every((byte) => byte === 0))).toBe(true)
    }),
    { seed: SEED, numRuns: 100 },
  )
})
