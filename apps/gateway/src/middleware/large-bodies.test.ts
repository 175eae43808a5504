import { expect, test } from 'bun:test'
import { BODY_BYTES_MAX } from './body-limit.ts'
import { LargeBodies } from './large-bodies.ts'

const request = () => new Request('http://gateway/upload/photos', { method: 'POST', body: 'photo' })
const LARGE = { bodyBytesMax: BODY_BYTES_MAX + 1 }

test('so many large bodies are held at a time, the next is a 503, and a place that is given back is free', () => {
  const bodies = new LargeBodies(2)
  const first = bodies.take(request(), LARGE)
  const second = bodies.take(request(), LARGE)
  expect([typeof first, typeof second]).toEqual(['function', 'function'])
  const third = bodies.take(request(), LARGE)
  if (typeof third === 'function') throw new Error('a third place')
  expect([third.apiError.code, third.rest === undefined]).toEqual(['unavailable', false])
  if (typeof first === 'function') first()
  expect(typeof bodies.take(request(), LARGE)).toBe('function')
})

test('bodies of the usual size take no place', () => {
  const bodies = new LargeBodies(0)
  expect(typeof bodies.take(request(), { bodyBytesMax: BODY_BYTES_MAX })).toBe('function')
})

test('a body of fifty megabytes takes the places of five; a small one of the same route takes one', () => {
  const bodies = new LargeBodies(6)
  const route = { bodyBytesMax: 52_428_800 }
  const of = (length: number) =>
    new Request('http://gateway/upload/import', {
      method: 'POST',
      body: 'walk',
      headers: { 'content-length': String(length) },
    })
  const large = bodies.take(of(52_428_800), route)
  expect(typeof large).toBe('function')
  expect(typeof bodies.take(of(52_428_800), route)).toBe('object')
  const small = bodies.take(of(1_000), route)
  expect(typeof small).toBe('function')
  expect(typeof bodies.take(of(1_000), route)).toBe('object')
  if (typeof large === 'function') large()
  expect(typeof bodies.take(of(41_943_040), route)).toBe('function')
})
