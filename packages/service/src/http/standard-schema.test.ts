import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { knownBody, text } from './standard-schema.ts'

const Query = Type.Object({ bbox: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer()) })
const app = new Elysia().get('/near', ({ query }) => query, { query: text(Query) })
const ask = async (query: string) => await (await app.fetch(new Request(`http://test/near${query}`))).json()

test('a query value keeps its commas, and numerals become numbers', async () => {
  expect(await ask('?bbox=120,24,121,25&limit=3')).toEqual({ bbox: '120,24,121,25', limit: 3 })
  expect(await ask('?bbox=120%2C24')).toEqual({ bbox: '120,24' })
  expect(await ask('')).toEqual({})
})

test('what is kept as it was sent has no field that its schema does not know, at any depth', async () => {
  const Name = Type.Object({ zh: Type.String() })
  const Place = Type.Object({ name: Name, notes: Type.Optional(Type.Union([Type.Array(Name), Type.Null()])) })
  const kept = new Elysia().post('/places', ({ body }) => body, { body: knownBody(Place) })
  const send = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://test/places', { method: 'POST', headers, body: JSON.stringify(body) })
    return (await kept.fetch(request)).json()
  }
  const given = { name: { zh: '宮', x: 1 }, notes: [{ zh: '一', y: { z: 2 } }], __proto: 3 }
  expect(await send(given)).toEqual({ name: { zh: '宮' }, notes: [{ zh: '一' }] })
  expect(await send({ name: { zh: '宮' }, notes: null })).toEqual({ name: { zh: '宮' }, notes: null })
})
