import { expect, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { TAGS, TOKENS } from '../../test/gateway.ts'
import type { Tokens } from '../config/tokens.ts'
import { noRateLimit, type RateLimit } from '../rate-limit/rate-limit.ts'
import { ROUTES } from '../routes.ts'
import { adminAuthenticator, adminTokenJudge } from './admin-token.ts'

const rowOf = (path: string, method = 'GET') => {
  const row = ROUTES.find((route) => route.path === path && route.method === method)
  if (!row) throw new Error(`no row ${method} ${path}`)
  return row
}
const headers = (token?: string) => new Headers(token === undefined ? {} : { 'x-admin-token': token })
/** Counts wrong guesses of an address, and refuses after two. */
function strictLimits(): RateLimit {
  let guesses = 0
  return {
    ...noRateLimit,
    wrong: async () => {
      if (guesses >= 2) return new ApiError('tooMany', 'Too many.')
      guesses++
      return { headers: { 'ratelimit-limit': '2' } }
    },
  }
}
const outcomeOf = (result: Awaited<ReturnType<ReturnType<typeof adminAuthenticator>>>) =>
  result instanceof ApiError ? result.code : result.tier

/** An authenticator of admin tokens alone. */
const authenticatorOf = (tokens: Tokens, limits: RateLimit = noRateLimit) =>
  adminAuthenticator({
    judge: adminTokenJudge({ tokens, limits }),
    session: async () => undefined,
    limits,
    tags: TAGS,
  })

const CONFIGURED = { owner: [TOKENS.owner], manager: [TOKENS.manager], volunteer: [TOKENS.volunteer] }

test('each token gives its tier, and only where that is high enough', async () => {
  const authenticateAdmin = authenticatorOf(CONFIGURED)
  for (const [role, tier] of [
    ['volunteer', 1],
    ['manager', 2],
    ['owner', 3],
  ] as const)
    for (const path of ['/auth/role', '/admin/users', '/admin/richmenu']) {
      const row = path === '/admin/richmenu' ? rowOf(path, 'POST') : rowOf(path)
      expect(outcomeOf(await authenticateAdmin(row, headers(TOKENS[role]), 'a'))).toBe(
        tier >= row.tier ? tier : 'forbidden',
      )
    }
})

test('only the exact token is valid', async () => {
  const authenticateAdmin = authenticatorOf(CONFIGURED)
  const { owner } = TOKENS
  for (const guess of [
    owner.slice(1),
    `${owner}x`,
    owner.toUpperCase(),
    `${owner}, ${owner}`,
    'undefined',
    'null',
  ])
    expect(outcomeOf(await authenticateAdmin(rowOf('/auth/role'), headers(guess), 'a'))).toBe('unauthorized')
})

test('while a token is changed, the new and the old one give the same tier, and both together none', async () => {
  const tokens = { ...CONFIGURED, manager: ['the-new-token-of-the-managers', TOKENS.manager] }
  const authenticateAdmin = authenticatorOf(tokens)
  for (const token of tokens.manager)
    expect(outcomeOf(await authenticateAdmin(rowOf('/admin/users'), headers(token), 'a'))).toBe(2)
  expect(
    outcomeOf(await authenticateAdmin(rowOf('/admin/users'), headers(tokens.manager.join(',')), 'a')),
  ).toBe('unauthorized')
})

test('a role without a token in the configuration cannot be guessed', async () => {
  const authenticateAdmin = authenticatorOf({ owner: [], manager: [], volunteer: [] })
  for (const guess of ['undefined', 'null', ' ', TOKENS.owner])
    expect(outcomeOf(await authenticateAdmin(rowOf('/auth/role'), headers(guess), 'a'))).toBe('unauthorized')
})

test('a missing token is no guess, a wrong one is, and after too many a right one is still accepted', async () => {
  const limits = strictLimits()
  const authenticateAdmin = authenticatorOf(CONFIGURED, limits)
  const row = rowOf('/auth/role')
  for (let i = 0; i < 10; i++)
    expect(outcomeOf(await authenticateAdmin(row, headers(), 'a'))).toBe('unauthorized')
  expect(outcomeOf(await authenticateAdmin(row, headers(TOKENS.owner), 'a'))).toBe(3)
  expect(outcomeOf(await authenticateAdmin(row, headers('wrong'), 'a'))).toBe('unauthorized')
  expect(outcomeOf(await authenticateAdmin(row, headers('wrong'), 'a'))).toBe('unauthorized')
  expect(outcomeOf(await authenticateAdmin(row, headers('wrong'), 'a'))).toBe('tooMany')
  expect(outcomeOf(await authenticateAdmin(row, headers(TOKENS.owner), 'a'))).toBe(3)
})

test('where a token is optional, none is the public, a right one its tier, a wrong one 401', async () => {
  const authenticateAdmin = authenticatorOf(CONFIGURED)
  const outcome = async (token?: string) =>
    outcomeOf(await authenticateAdmin(rowOf('/data'), headers(token), 'a'))
  expect(await outcome()).toBe(0)
  expect(await outcome('')).toBe(0)
  expect(await outcome(TOKENS.volunteer)).toBe(1)
  expect(await outcome(TOKENS.manager)).toBe(2)
  expect(await outcome('wrong')).toBe('unauthorized')
})

test('an edit token that we issued replaces a missing admin token, never a wrong or low one', async () => {
  const edit = TAGS.tagged('edit token', 'x'.repeat(43))
  const authenticateAdmin = authenticatorOf(CONFIGURED)
  const outcome = async (fields: Record<string, string>) =>
    outcomeOf(await authenticateAdmin(rowOf('/feedback/{id}', 'PATCH'), new Headers(fields), 'a'))
  expect(await outcome({})).toBe('unauthorized')
  expect(await outcome({ 'x-feedback-token': edit })).toBe(0)
  expect(await outcome({ 'x-feedback-token': 'made up' })).toBe('unauthorized')
  expect(await outcome({ 'x-feedback-token': edit, 'x-admin-token': 'wrong' })).toBe('unauthorized')
  expect(await outcome({ 'x-feedback-token': edit, 'x-admin-token': TOKENS.volunteer })).toBe('forbidden')
  expect(await outcome({ 'x-admin-token': TOKENS.manager })).toBe(2)
})
