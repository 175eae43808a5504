import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { text } from './standard-schema.ts'

const Query = Type.Object({ bbox: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer()) })
const app = new Elysia().get('/near', ({ query }) => query, { query: text(Query) })
const ask = async (query: string) => await (await app.fetch(new Request(`http://test/near${query}`))).json()

test('a query value keeps its commas, and numerals become numbers', async () => {
  expect(await ask('?bbox=120,24,121,25&limit=3')).toEqual({ bbox: '120,24,121,25', limit: 3 })
  expect(await ask('?bbox=120%2C24')).toEqual({ bbox: '120,24' })
  expect(await ask('')).toEqual({})
})
