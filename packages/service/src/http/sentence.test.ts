import { expect, test } from 'bun:test'
import Type from 'typebox'
import { ApiError } from './api-error.ts'
import { body, text } from './standard-schema.ts'

const Checkin = Type.Object({
  userId: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: '1 to 64 letters, digits, _ or -' }),
  lat: Type.Number({ minimum: -90, maximum: 90 }),
  kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  points: Type.Optional(
    Type.Array(Type.Object({ lng: Type.Number({ minimum: -180, maximum: 180 }) }), {
      minItems: 1,
      maxItems: 2,
    }),
  ),
})

const sentence = (value: unknown): string => {
  try {
    body(Checkin)['~standard'].validate(value)
    return 'accepted'
  } catch (error) {
    return error instanceof ApiError ? error.message : String(error)
  }
}

test('a 400 names the field and what it may be', () => {
  expect(sentence({ userId: 'u', lat: 91 })).toBe('lat: expected a number between -90 and 90')
  expect(sentence({ lat: 1 })).toBe('userId: expected 1 to 64 letters, digits, _ or -')
  expect(sentence({ userId: 'u', lat: 1, kind: 'c' })).toBe('kind: expected "a" or "b"')
  expect(sentence({ userId: 'u', lat: 1, points: [] })).toBe('points: expected a list of 1 to 2 items')
  expect(sentence({ userId: 'u', lat: 1, points: [{ lng: 200 }] })).toBe(
    'points[0].lng: expected a number between -180 and 180',
  )
})

test('what fits is accepted, unknown fields included', () => {
  expect(sentence({ userId: 'u', lat: 1, colour: 'red' })).toBe('accepted')
})

test('query values arrive as text and are converted before they are judged', () => {
  const query = text(Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })) }))
  expect(query['~standard'].validate({ limit: '12' }).value).toEqual({ limit: 12 })
  expect(() => query['~standard'].validate({ limit: 'many' })).toThrow(
    'limit: expected a whole number between 1 and 1000',
  )
})
