import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { homeAt, openSocketFolder, removeSocketFolder } from '@palanquin/stack/run-state/home'
import { keepPseudonymSecret, openSecrets, pseudonymsChange } from '@palanquin/stack/settings/secrets'
import { noSettings, readSettings } from '@palanquin/stack/settings/settings'
import { savedSecret, secretsText } from './manifest'

const root = mkdtempSync(join(tmpdir(), 'palanquin-settings-'))
afterAll(() => rmSync(root, { recursive: true }))
writeFileSync(
  join(root, '.env'),
  `FLUSH_SCHEDULE=*/2 * * * *  # often\nEVENT_BRAND="white-sand"\nGPS_DRIFT_GUARD=on\n`,
)

test('the environment wins over .env; an empty value counts as not set and undoes the file', () => {
  expect(readSettings(root, { EVENT_BRAND: 'beigang', GPS_DRIFT_GUARD: '', LOG_LEVEL: '' })).toEqual({
    FLUSH_SCHEDULE: '*/2 * * * *',
    EVENT_BRAND: 'beigang',
  })
})

test('every variable of the contract is in .env.example', () => {
  const names = Object.keys(noSettings(PROJECT_ROOT))
  const contract = `EVENT_BRAND EVENT_TIMEZONE EVENT_ADMIN_TOKEN EVENT_MANAGER_TOKEN EVENT_VOLUNTEER_TOKEN VALID_SOURCES
    GPS_DRIFT_GUARD LEVEL_KM FLUSH_SCHEDULE PUSH_SCHEDULE HEALTH_SCHEDULE USER_AUTH CORS_ORIGINS PUBLIC_HOSTS TRUST_PROXY TLS_CERT_FILE
    TLS_KEY_FILE PUBLIC_WRITE_LIMIT PUBLIC_READ_LIMIT PAGE_READ_LIMIT MAP_QUERY_LIMIT NEW_PARTICIPANT_LIMIT
    SESSION_LIMIT LOST_LIMIT FIND_LIMIT LINE_CHANNEL_SECRET LINE_CHANNEL_ACCESS_TOKEN LINE_LOGIN_CHANNEL_ID
    LINE_API_BASE LINE_DATA_API_BASE LINE_LOGIN_BASE PUBLIC_BASE_URL LIFF_URL DATABASE_URL REDIS_URL S3_ENDPOINT S3_BUCKET
    S3_ACCESS_KEY_ID S3_SECRET_ACCESS_KEY S3_REGION RATE_LIMITS REDIS_MAXMEMORY`
  expect(contract.split(/\s+/).filter((name) => !names.includes(name))).toEqual([])
})

test('tokens are made once, long, different and private; configured ones win, under their brand', () => {
  const home = homeAt(join(root, 'home'))
  const made = openSecrets(home, {})
  expect(openSecrets(home, {})).toEqual(made)
  const all = [...Object.values(made.tokens), made.internalToken, made.pseudonymSecret]
  expect(new Set(all).size).toBe(5)
  for (const secret of all) expect(secret.length).toBeGreaterThanOrEqual(32)
  const branded = openSecrets(home, { EVENT_BRAND: 'white-sand', WHITE_SAND_ADMIN_TOKEN: "it's mine" })
  expect(branded.tokens).toEqual({ ...made.tokens, owner: "it's mine" })
  expect(readFileSync(home.tokensFile, 'utf8')).toContain(`WHITE_SAND_ADMIN_TOKEN='it'\\''s mine'\n`)
  expect(statSync(home.tokensFile).mode & 0o777).toBe(0o600)
})

test('a configured pseudonym key is kept for the next start, and a changed one is noticed', () => {
  const home = homeAt(join(root, 'pseudonyms'))
  expect(pseudonymsChange(home, { PSEUDONYM_SECRET: 'first' })).toBe(false)
  keepPseudonymSecret(home, openSecrets(home, { PSEUDONYM_SECRET: 'first' }).pseudonymSecret)
  expect(openSecrets(home, {}).pseudonymSecret).toBe('first')
  expect(pseudonymsChange(home, {})).toBe(false)
  expect(pseudonymsChange(home, { PSEUDONYM_SECRET: 'second' })).toBe(true)
  // The stack has not started with it yet.
  expect(openSecrets(home, { PSEUDONYM_SECRET: 'second' }).pseudonymSecret).toBe('second')
  expect(openSecrets(home, {}).pseudonymSecret).toBe('first')
  keepPseudonymSecret(home, 'second')
  expect(openSecrets(home, {}).pseudonymSecret).toBe('second')
  expect(readFileSync(home.secret('pseudonym-secret-before'), 'utf8')).toBe('first\n')
  expect(statSync(home.secret('pseudonym-secret')).mode & 0o777).toBe(0o600)
})

test('a secret comes back from a backup as it was, and a backup without one is refused', () => {
  for (const secret of ['plain', 'with # and space', `it's "quoted"`, 'a=b\\n']) {
    writeFileSync(join(root, 'secrets.env'), secretsText(secret))
    expect(savedSecret(root)).toBe(secret)
  }
  writeFileSync(join(root, 'secrets.env'), 'PSEUDONYM_SECRET=\n')
  expect(() => savedSecret(root)).toThrow('holds no PSEUDONYM_SECRET')
})

test('sockets have a short, private folder, however long the path of the home', () => {
  const home = homeAt(join(root, 'x'.repeat(200)))
  const folder = openSocketFolder(home)
  expect(Buffer.byteLength(join(folder, 'engagement.sock'))).toBeLessThan(104)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  removeSocketFolder(home)
  expect(existsSync(folder)).toBe(false)
})
