import { expect, test } from 'bun:test'
import { isUserId, shardOf } from '@palanquin/domain/ids'
import fc from 'fast-check'
import { readId, writeId } from './id-bytes.ts'
import { HOLDER, NO_SLOT, People } from './people.ts'

const SEED = 20261122
const HOLDERS = [HOLDER.participants, HOLDER.positions]
const hex = fc.stringMatching(/^[0-9a-f]{32}$/)
const userId = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  hex.map((digits) => `U${digits}`),
  hex.map((digits) => `U${digits.toUpperCase()}`),
  fc.constantFrom('a', 'b', 'ab', 'ba', 'U', '-', `U${'0'.repeat(32)}`, 'x'.repeat(64)),
)

test('an id is the same after it was written as bytes, and no two ids have the same bytes', () => {
  fc.assert(
    fc.property(userId, userId, (one, another) => {
      const bytesOf = (id: string) => {
        const bytes = new Uint8Array(64)
        return bytes.slice(0, writeId(id, bytes))
      }
      expect(isUserId(one)).toBe(true)
      expect(readId(bytesOf(one))).toBe(one)
      if (one !== another) expect(bytesOf(one)).not.toEqual(bytesOf(another))
    }),
    { seed: SEED, numRuns: 2_000 },
  )
})

test('people have a slot while a holder knows them, as a map of sets would say', () => {
  const step = fc.record({
    userId: fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), userId),
    holder: fc.constantFrom(...HOLDERS),
    isHeld: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const people = new People()
      const model = new Map<string, Set<number>>()
      for (const { userId: id, holder, isHeld } of steps) {
        const holders = model.get(id) ?? new Set()
        if (isHeld) {
          people.hold(id, holder)
          model.set(id, holders.add(holder))
        } else {
          const slot = people.slotOf(id)
          if (slot !== NO_SLOT) people.letGo(slot, holder)
          holders.delete(holder)
          if (holders.size === 0) model.delete(id)
        }
        expect(people.slotOf(id) !== NO_SLOT).toBe(model.has(id))
      }
      const slots = new Set<number>()
      for (const [id, holders] of model) {
        const slot = people.slotOf(id)
        slots.add(slot)
        expect(people.idOf(slot)).toBe(id)
        expect(people.shardOf(slot)).toBe(shardOf(id))
        for (const holder of HOLDERS) expect(people.isHeld(slot, holder)).toBe(holders.has(holder))
      }
      expect(slots.size).toBe(model.size)
      for (const slot of slots) expect(slot).toBeLessThan(people.slots())
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test('a crowd that comes, goes and comes again needs no more slots, and leaves no bytes', () => {
  const people = new People()
  const ids = Array.from({ length: 40_000 }, (_, n) => `participant-${n}`)
  for (let round = 0; round < 3; round++) {
    for (const id of ids) people.hold(id, HOLDER.positions)
    for (const id of ids) expect(people.idOf(people.slotOf(id))).toBe(id)
    for (const id of ids) people.letGo(people.slotOf(id), HOLDER.positions)
    expect(ids.some((id) => people.slotOf(id) !== NO_SLOT)).toBe(false)
  }
  expect(people.slots()).toBe(ids.length)
  expect(people.reserved().every((bytes) => bytes.every((byte) => byte === 0))).toBe(true)
})
