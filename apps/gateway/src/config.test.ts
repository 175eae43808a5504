import { expect, test } from 'bun:test'
import { ConfigurationError, type Environment } from '@palanquin/service/config'
import { readGatewayConfig } from './config.ts'

const secret = (letter: string) => `${letter}9fK2xQ7vLmT4wRz8NcB1hYp`
const GOOD: Environment = {
  NODE_ENV: 'production',
  INTERNAL_TOKEN: secret('i'),
  PSEUDONYM_SECRET: secret('p'),
  REDIS_URL: 'redis://127.0.0.1:6379',
  TRACKING_URL: 'unix:/run/tracking.sock, http://10.0.0.2:8080',
  MAP_URL: 'unix:/run/map.sock',
  ENGAGEMENT_URL: 'http://engagement:8080',
  MEDIA_URL: 'http://media:8080/',
  LINE_BOT_URL: 'http://[fd00::1]:8080',
  TLS_CERT_FILE: '/tls/cert.pem',
  TLS_KEY_FILE: '/tls/key.pem',
  PUBLIC_HOSTS: 'walk.example, alt.example',
  USER_AUTH: 'off',
  EVENT_ADMIN_TOKEN: secret('o'),
  EVENT_MANAGER_TOKEN: secret('m'),
  EVENT_VOLUNTEER_TOKEN: secret('v'),
}
const problemsOf = (change: Environment): string => {
  try {
    readGatewayConfig({ ...GOOD, ...change })
    return ''
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

test('a complete production configuration is accepted', () => {
  expect(readGatewayConfig(GOOD)).toMatchObject({
    EVENT_BRAND: 'event',
    publicHosts: ['walk.example', 'alt.example'],
    corsOrigins: ['*'],
    trustedProxies: [],
    tokens: { owner: [secret('o')], manager: [secret('m')], volunteer: [secret('v')] },
    PUBLIC_WRITE_LIMIT: 1_200,
    PUBLIC_READ_LIMIT: 6_000,
  })
})

test('production rejects missing, short, sample and equal tokens, and names each', () => {
  expect(problemsOf({ EVENT_ADMIN_TOKEN: '' })).toContain('EVENT_ADMIN_TOKEN is missing')
  expect(problemsOf({ EVENT_MANAGER_TOKEN: secret('m').slice(0, 23) })).toContain(
    'EVENT_MANAGER_TOKEN is shorter',
  )
  for (const sample of ['change-me-change-me-change-me', 'a'.repeat(30), 'my-example-token-0123456789'])
    expect(problemsOf({ EVENT_VOLUNTEER_TOKEN: sample })).toContain('EVENT_VOLUNTEER_TOKEN is a sample')
  expect(problemsOf({ EVENT_VOLUNTEER_TOKEN: secret('o') })).toContain('is the same as EVENT_ADMIN_TOKEN')
  expect(problemsOf({ INTERNAL_TOKEN: secret('o') })).toContain(
    'INTERNAL_TOKEN is the same as EVENT_ADMIN_TOKEN',
  )
})

test('production does not start without USER_AUTH, and the error explains each value', () => {
  const said = problemsOf({ USER_AUTH: '' })
  expect(said).toContain('USER_AUTH is missing')
  expect(said).toMatch(
    /session \(.*session of that person.*\), line \(.*ID token.*\) or off \(anybody who knows a userId.*\/og\/\{userId\}\.png/,
  )
  expect(problemsOf({ NODE_ENV: 'development', USER_AUTH: '' })).toBe('')
  expect(problemsOf({ USER_AUTH: 'off' })).toBe('')
  expect(problemsOf({ USER_AUTH: 'line', LINE_LOGIN_CHANNEL_ID: '1656000000' })).toBe('')
  expect(problemsOf({ USER_AUTH: 'session' })).toBe('')
  expect(problemsOf({ USER_AUTH: 'sessions' })).toContain('USER_AUTH')
})

test('development accepts short or missing tokens, but no equal ones', () => {
  const development = { NODE_ENV: 'development', EVENT_ADMIN_TOKEN: 'short', EVENT_MANAGER_TOKEN: '' }
  expect(problemsOf(development)).toBe('')
  expect(problemsOf({ ...development, EVENT_VOLUNTEER_TOKEN: 'short' })).toContain('is the same as')
})

test('while a token is changed two are accepted, and each must be as strong as one alone', () => {
  const both = `${secret('n')}, ${secret('o')}`
  expect(readGatewayConfig({ ...GOOD, EVENT_ADMIN_TOKEN: both }).tokens.owner).toEqual([
    secret('n'),
    secret('o'),
  ])
  expect(problemsOf({ INTERNAL_TOKEN: `${secret('j')},${secret('i')}` })).toBe('')
  for (const [other, problem] of [
    ['short', 'EVENT_ADMIN_TOKEN is shorter'],
    ['change-me-change-me-change-me', 'EVENT_ADMIN_TOKEN is a sample'],
    [secret('o'), 'EVENT_ADMIN_TOKEN is the same as EVENT_ADMIN_TOKEN'],
    [secret('i'), 'INTERNAL_TOKEN is the same as EVENT_ADMIN_TOKEN'],
    [secret('v'), 'EVENT_VOLUNTEER_TOKEN is the same as EVENT_ADMIN_TOKEN'],
    [`${secret('p')},${secret('q')}`, 'at most 2 by comma'],
  ] as const)
    expect(problemsOf({ EVENT_ADMIN_TOKEN: `${secret('o')},${other}` })).toContain(problem)
})

test('the brand renames the token variables', () => {
  const renamed = {
    EVENT_BRAND: 'pai-sha-tun',
    PAI_SHA_TUN_ADMIN_TOKEN: secret('1'),
    PAI_SHA_TUN_MANAGER_TOKEN: secret('2'),
    PAI_SHA_TUN_VOLUNTEER_TOKEN: secret('3'),
  }
  expect(readGatewayConfig({ ...GOOD, ...renamed }).tokens.owner).toEqual([secret('1')])
  expect(problemsOf({ EVENT_BRAND: 'other' })).toContain('OTHER_ADMIN_TOKEN is missing')
  expect(problemsOf({ EVENT_BRAND: '../x' })).toContain('EVENT_BRAND')
})

test.each([
  ['TRACKING_URL', 'https://tracking'],
  ['TRACKING_URL', 'unix:relative.sock'],
  ['MAP_URL', 'map:8080'],
  ['ENGAGEMENT_URL', 'http://engagement/path'],
  ['MEDIA_URL', 'http://media:8080,'],
  ['CORS_ORIGINS', 'https://map.example/'],
  ['CORS_ORIGINS', '*, https://map.example'],
  ['CORS_ORIGINS', 'null'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', 'proxy.example'],
  ['PUBLIC_HOSTS', 'x'],
  ['PUBLIC_HOSTS', 'walk.example:443'],
  ['PUBLIC_HOSTS', ''],
  ['RATE_LIMITS', 'off'],
  ['USER_AUTH', 'line'],
  ['USER_AUTH', 'yes'],
  ['LINE_LOGIN_BASE', 'api.line.me'],
  ['LINE_LOGIN_BASE', 'file:///etc'],
  ['LINE_LOGIN_PAGE', 'access.line.me'],
  ['LIFF_SDK_URL', 'data:text/javascript,1'],
  ['PUBLIC_READ_LIMIT', '0'],
  ['TLS_KEY_FILE', ''],
])('%s=%s is refused', (name, value) => expect(problemsOf({ [name]: value })).toContain(name))

test('USER_AUTH=line needs the channel of the ID tokens, and LINE itself is the default', () => {
  expect(problemsOf({ USER_AUTH: 'line' })).toContain('LINE_LOGIN_CHANNEL_ID is missing')
  expect(
    readGatewayConfig({ ...GOOD, USER_AUTH: 'line', LINE_LOGIN_CHANNEL_ID: '1656000000' }),
  ).toMatchObject({
    USER_AUTH: 'line',
    LINE_LOGIN_BASE: 'https://api.line.me',
  })
  expect(readGatewayConfig(GOOD).USER_AUTH).toBe('off')
})

test('behind a proxy no certificate is needed', () => {
  expect(problemsOf({ TRUST_PROXY: '10.0.0.0/8, fd00::/8', TLS_CERT_FILE: '', TLS_KEY_FILE: '' })).toBe('')
})

test('all problems are reported at once', () => {
  const message = problemsOf({ REDIS_URL: '', EVENT_ADMIN_TOKEN: '', CORS_ORIGINS: 'null', PUBLIC_PORT: 'x' })
  for (const name of ['REDIS_URL', 'EVENT_ADMIN_TOKEN', 'PUBLIC_PORT']) expect(message).toContain(name)
})
