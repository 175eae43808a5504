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
