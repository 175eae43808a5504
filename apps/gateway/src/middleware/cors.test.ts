import { expect, test } from 'bun:test'
import { cors } from './cors.ts'

const from = (origin?: string) => new Headers(origin === undefined ? {} : { origin })
const ORIGIN = 'access-control-allow-origin'

test('* allows every origin, never with credentials', () => {
  const open = cors(['*'])
  for (const origin of ['https://map.example', 'null', undefined]) {
    const headers = open.headers(from(origin))
    expect(headers[ORIGIN]).toBe('*')
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  }
})

test('a list allows exactly its origins, with Vary: Origin', () => {
  const listed = cors(['https://map.example', 'https://stage.example:8443'])
  expect(listed.headers(from('https://map.example'))).toMatchObject({
    [ORIGIN]: 'https://map.example',
    vary: 'Origin',
  })
  for (const origin of [
    'null',
    'https://map.example.evil.example',
    'http://map.example',
    'https://map.example:444',
    'HTTPS://map.example',
    undefined,
  ])
    expect(listed.headers(from(origin))).toEqual({ vary: 'Origin' })
})

test('a preflight lists the methods and headers of the API, for a day', () => {
  const { preflight } = cors(['*'])
  expect(preflight['access-control-allow-methods']).toContain('PATCH')
  expect(preflight['access-control-allow-headers']).toContain('X-Admin-Token')
  expect(preflight['access-control-max-age']).toBe('86400')
})
