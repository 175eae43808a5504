import { expect, describe as group, test } from 'bun:test'
import fc from 'fast-check'
import { Unread } from './unread.ts'

const BOUNDS = { addressBytesMax: 100, allBytesMax: 250 }

group('bytes that clients have not read', () => {
  test('of one body are counted once in all, and once for each address that reads it', () => {
    const unread = new Unread(BOUNDS)
    const map = {}
    for (const address of ['a', 'a', 'b']) unread.add(address, map, 90)
    expect(unread.bytes).toBe(90)
    expect(unread.capacityFor('a', map, 90)).toBe('yes')
    expect(unread.capacityFor('a', {}, 90)).toBe('none at its address')
    expect(unread.capacityFor('c', {}, 90)).toBe('yes')
  })

  test('are bounded in all, and the address with most of them is known', () => {
    const unread = new Unread(BOUNDS)
    for (const [address, bytes] of [
      ['a', 90],
      ['b', 100],
      ['c', 60],
    ] as const)
      unread.add(address, {}, bytes)
    expect(unread.capacityFor('d', {}, 1)).toBe('none')
    expect(unread.largest()).toBe('b')
  })

  test('may exceed the bounds where nothing else is unread: a map is never too large to be sent', () => {
    const unread = new Unread(BOUNDS)
    expect(unread.capacityFor('a', {}, 1_000)).toBe('yes')
  })

  test('never exceed the bounds and return to none, in whatever order clients read and disconnect', () => {
    const step = fc.record({
      address: fc.constantFrom('a', 'b', 'c', 'd'),
      body: fc.nat(5),
      leaves: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const unread = new Unread(BOUNDS)
        const bodies = Array.from({ length: 6 }, (_, n) => ({ bytes: 10 * (n + 1) }))
        const reading: { address: string; body: { bytes: number } }[] = []
        for (const { address, body: at, leaves } of steps) {
          const body = bodies[at] ?? { bytes: 0 }
          if (leaves) {
            const reader = reading.pop()
            if (reader) unread.remove(reader.address, reader.body, reader.body.bytes)
          } else if (unread.capacityFor(address, body, body.bytes) === 'yes') {
            unread.add(address, body, body.bytes)
            reading.push({ address, body })
          }
          const inMemory = new Set(reading.map((reader) => reader.body))
          expect(unread.bytes).toBe([...inMemory].reduce((sum, { bytes }) => sum + bytes, 0))
          for (const each of ['a', 'b', 'c', 'd']) {
            const own = new Set(
              reading.filter((reader) => reader.address === each).map((reader) => reader.body),
            )
            expect([...own].reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(100)
          }
        }
        for (const { address, body } of reading) unread.remove(address, body, body.bytes)
        expect([unread.bytes, unread.largest()]).toEqual([0, undefined])
      }),
      { seed: 15 },
    )
  })
})
