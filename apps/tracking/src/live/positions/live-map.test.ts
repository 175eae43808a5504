import { expect, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { ParticipantColumns } from '../../access/participant-columns.ts'
import { NO_SLOT } from '../../people/people.ts'
import { publicStateOf } from '../public-state.ts'
import { createLiveMap } from './live-map.ts'

const SECRET = 'secret-of-a-live-map'
const tokenOf = erasureTokens(SECRET)
const at = (recordedAt: number) => ({ lat: 24.5, lng: 120.6, recordedAt, accuracy: 7, battery: 80 })

function mapOf() {
  const participants = new ParticipantColumns({ names: true })
  const map = createLiveMap({
    people: participants.people,
    pseudonymSecret: SECRET,
    stateOf: (userId) => publicStateOf(participants.get(userId), { isDevice: false }),
    asOf: () => 1,
  })
  const join = (userId: string) =>
    participants.put(userId, {
      displayName: `Name of ${userId}`,
      consent: true,
      publicVersion: 5,
      changedAt: 1,
      visibility: 'named',
      status: 'active',
    })
  const erase = (userId: string) => {
    participants.delete(userId)
    map.participantChanged(userId)
    map.erase({ shard: shardOf(userId), token: tokenOf(userId), upTo: [9, 0] })
  }
  return { map, participants, join, erase }
}

test('nothing of an erased participant stays in any column', () => {
  const { map, participants, join, erase } = mapOf()
  join('erased')
  const slot = map.update('erased', { ...at(5), entry: [3, 1] })
  map.setTotals(slot, { km: 12.5, checkins: 3, firstMs: 3 }, [2, 0])
  map.addPendingCheckin(slot, [3, 1], 5)
  expect(map.get('erased')).toMatchObject({ lat: 24.5, battery: 80 })
  erase('erased')
  expect(map.get('erased')).toBeUndefined()
  expect(participants.people.slotOf('erased')).toBe(NO_SLOT)
  expect(map.columns.all().every((column) => column.every((value) => value === 0))).toBe(true)
  expect(map.columns.pseudonym.every((byte) => byte === 0)).toBe(true)
  expect(participants.reserved().every((bytes) => bytes.every((byte) => byte === 0))).toBe(true)
  expect(map.slots.count({ includeHidden: true })).toBe(0)
  // What a stream still delivers of them changes nothing.
  expect(map.update('erased', { ...at(6), entry: [8, 0] })).toBe(NO_SLOT)
})

test('a participant who gets the slot of an erased one is not taken for them', () => {
  const { map, join, erase } = mapOf()
  const before = map.changes.offset()
  join('erased')
  const slot = map.update('erased', { ...at(5), entry: [3, 1] })
  const pseudonym = map.columns.pseudonymOf(slot)
  map.participantChanged('erased', { renamed: true })
  erase('erased')
  join('next')
  expect(map.update('next', { ...at(7), entry: [10, 0] })).toBe(slot)
  expect(map.columns.pseudonymOf(slot)).not.toBe(pseudonym)
  const changes = map.changes.since(before, () => [])
  expect(new Set(changes?.map(({ id }) => id))).toEqual(new Set([pseudonym]))
  expect(changes?.every(({ slot: of }) => of === NO_SLOT)).toBe(true)
  expect([...map.movements.since(shardOf('erased'), [0, 0])]).toEqual(
    shardOf('next') === shardOf('erased') ? [slot] : [],
  )
})
