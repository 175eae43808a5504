import { expect, test } from 'bun:test'
import { computeLevel } from '@palanquin/domain/level'
import { VISIBILITIES } from '@palanquin/domain/participant'
import fc from 'fast-check'
import { ParticipantColumns } from '../../access/participant-columns.ts'
import { encodeCursor } from '../positions/cursor.ts'
import { createLiveMap } from '../positions/live-map.ts'
import { publicStateOf } from '../public-state.ts'
import { createBuffers } from './buffers.ts'
import { ByteWriter } from './byte-writer.ts'
import { FORMATS, type Format, writeData } from './formats.ts'
import { snapshotOf } from './selection.ts'

const degrees = (most: number) =>
  fc.oneof(
    fc.double({ min: -most, max: most, noNaN: true }),
    fc.integer({ min: -most * 1e6, max: most * 1e6 }).map((n) => n / 1e6),
  )
const person = fc.record({
  lat: degrees(90),
  lng: degrees(180),
  recordedAt: fc.integer({ min: 1, max: 2 ** 42 }),
  accuracy: fc.option(fc.double({ min: 0, max: 5_000, noNaN: true })),
  km: fc.double({ min: 0, max: 400, noNaN: true }),
  checkins: fc.nat(50),
  pending: fc.array(fc.nat(3), { maxLength: 4 }),
  displayName: fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 })),
  visibility: fc.constantFrom(...VISIBILITIES),
  consent: fc.boolean(),
})
type Person = typeof person extends fc.Arbitrary<infer P> ? P : never

function mapOf(people: readonly Person[]) {
  const participants = new ParticipantColumns({ names: true })
  const map = createLiveMap({
    people: participants.people,
    pseudonymSecret: 'secret-of-the-formats',
    stateOf: (userId) => publicStateOf(participants.get(userId), { isDevice: false }),
    asOf: () => 1,
  })
  for (const [n, { km, checkins, pending, displayName, visibility, consent, ...point }] of people.entries()) {
    const userId = `person-${n}`
    participants.put(userId, {
      displayName,
      visibility,
      consent,
      status: 'active',
      publicVersion: 0,
      changedAt: 0,
    })
    const slot = map.update(userId, { ...point, entry: [n + 1, 0] })
    map.setTotals(slot, { km, checkins, firstMs: 0 }, [1, 0])
    for (const recordedAt of pending) map.addPendingCheckin(slot, [n + 2, 0], recordedAt)
  }
  return { map, participants }
}

/** What a response says of one person, as plain objects. */
function pointOf(id: string, userId: string, person: Person, includeHidden: boolean) {
  const { lat, lng, recordedAt, accuracy, km, checkins, pending, displayName, visibility } = person
  const all = checkins + new Set(pending).size
  const name = includeHidden || visibility === 'named' ? displayName : null
  return {
    id,
    ...(includeHidden ? { userId } : {}),
    lat: lat + 0,
    lng: lng + 0,
    ...(accuracy === null ? {} : { accuracy: accuracy + 0 }),
    recordedAt: new Date(recordedAt).toISOString(),
    level: computeLevel(km, all)?.level ?? null,
    ...(name === null ? {} : { displayName: name }),
  }
}

const textOf = (format: Format, view: ReturnType<typeof mapOf>, includeHidden: boolean): string => {
  const writer = new ByteWriter(createBuffers(), 1)
  writeData(writer, format, snapshotOf(view, { box: null, includeHidden }), { ...view, includeHidden })
  return new TextDecoder().decode(writer.finish().written)
}

test('every format is the JSON of what is known, to the byte', () => {
  fc.assert(
    fc.property(fc.array(person, { maxLength: 12 }), fc.boolean(), (people, includeHidden) => {
      const view = mapOf(people)
      const { map } = view
      const seen = people.flatMap((one, n) => {
        const isShown = includeHidden || (one.consent && ['anonymous', 'named'].includes(one.visibility))
        const userId = `person-${n}`
        const id = map.columns.pseudonymOf(map.people.slotOf(userId))
        return isShown ? [{ one, point: pointOf(id, userId, one, includeHidden) }] : []
      })
      const rest = { cursor: encodeCursor(map.cursor()), total: seen.length }
      const features = seen.map(({ point: { id, lat, lng, ...properties } }) => ({
        type: 'Feature',
        id,
        geometry: { type: 'Point', coordinates: [lng, lat] },
        properties,
      }))
      const columns = {
        ids: seen.map(({ point }) => point.id),
        ...(includeHidden ? { userIds: seen.map(({ point }) => point.userId) } : {}),
        lat: seen.map(({ one }) => Math.round(one.lat * 1e6)),
        lng: seen.map(({ one }) => Math.round(one.lng * 1e6)),
        accuracy: seen.map(({ one }) => one.accuracy && Math.round(one.accuracy)),
        recordedAt: seen.map(({ one }) => one.recordedAt),
        level: seen.map(({ point }) => point.level ?? 0),
        displayName: seen.map(({ point }) => ('displayName' in point ? point.displayName : null)),
      }
      const expected: Record<Format, unknown> = {
        json: { points: seen.map(({ point }) => point), ...rest },
        geojson: { type: 'FeatureCollection', features, ...rest },
        columns: { ...columns, ...rest },
      }
      for (const format of FORMATS)
        expect(textOf(format, view, includeHidden)).toBe(JSON.stringify(expected[format]))
    }),
    { seed: 20261123, numRuns: 500 },
  )
})
