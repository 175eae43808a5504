import { expect, test } from 'bun:test'
import { LargeBodies } from './large-bodies.ts'

const MIB = 1_048_576
const body = (mib: number, address: string, person?: string) => ({ bytes: mib * MIB, address, person })
const taken = (place: unknown) => typeof place === 'function'

test('so many bytes are held at a time, and what is given back is free', () => {
  const bodies = new LargeBodies()
  const places = Array.from({ length: 32 }, (_, at) => bodies.take(body(10, `192.0.2.${at}`)))
  expect(places.every(taken)).toBe(true)
  expect(bodies.take(body(1, '198.51.100.1'))).toMatchObject({ code: 'unavailable' })
  const [first] = places
  if (typeof first === 'function') first()
  expect(taken(bodies.take(body(10, '198.51.100.1')))).toBe(true)
})

test('one address has a quarter of them, and others are served beside it; an IPv6 address is its /64', () => {
  const bodies = new LargeBodies()
  for (let at = 0; at < 8; at++)
    expect(taken(bodies.take(body(10, `2001:db8::${at}`, `person-${at}`)))).toBe(true)
  expect(taken(bodies.take(body(1, '2001:db8::ffff', 'another')))).toBe(false)
  expect(taken(bodies.take(body(10, '192.0.2.1', 'another')))).toBe(true)
})

test('one person sends two at a time, from whatever addresses', () => {
  const bodies = new LargeBodies()
  const first = bodies.take(body(1, '192.0.2.1', 'person'))
  expect([taken(first), taken(bodies.take(body(1, '192.0.2.2', 'person')))]).toEqual([true, true])
  expect(taken(bodies.take(body(1, '192.0.2.3', 'person')))).toBe(false)
  if (typeof first === 'function') first()
  expect(taken(bodies.take(body(1, '192.0.2.3', 'person')))).toBe(true)
})
