import { expect, test } from 'bun:test'
import { normaliseKeys } from '@palanquin/domain/payload'
import { ApiError } from '@palanquin/service/http/api-error'
import fc from 'fast-check'
import { readContent } from '../middleware/content.ts'
import { ROUTES } from '../routes.ts'
import { namedUserOf } from './named-user.ts'

const SEED = 20_260_501
const SPELLINGS = [
  'userId',
  'user_id',
  'line_user_id',
  'lineUserId',
  'line_userId',
  'user__id',
  'USER_ID',
  '__proto__',
  'userid',
]
const anyValue = fc.oneof(
  fc.constantFrom('U1', 'U2', 'U3', ' U1', 'U1 ', 'a b', '', null, 5, true),
  fc.constant({ userId: 'U4' }),
)
const rowOf = (path: string) => {
  const row = ROUTES.find((route) => route.path === path && route.method === 'POST')
  if (!row) throw new Error(`no row ${path}`)
  return row
}
/** The text of an object whose keys may come twice. */
const textOf = (pairs: [string, unknown][]) =>
  `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`
const read = async (path: string, text: string) => {
  const route = rowOf(path)
  const bytes = new TextEncoder().encode(text).buffer
  const request = new Request('https://walk.example/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  })
  const content = readContent(route, request, bytes)
  return content instanceof ApiError ? content : namedUserOf(content, { route, params: {}, request, bytes })
}

test.each(['/checkin', '/feedback'])(
  '%s: an ID token is compared with the userId that the service will read, in any spelling and number',
  async (path) => {
    const pairs = fc.array(fc.tuple(fc.constantFrom(...SPELLINGS), anyValue), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(pairs, async (some) => {
        const text = textOf(some)
        const named = await read(path, text)
        if (named instanceof ApiError) return
        const outcome = normaliseKeys(JSON.parse(text))
        const { userId } = ('value' in outcome ? outcome.value : {}) as { userId?: unknown }
        expect(named).toBe(userId === null ? undefined : (userId as never))
      }),
      { seed: SEED, numRuns: 500 },
    )
  },
)
