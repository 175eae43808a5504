import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCertificate } from './certificate.ts'

const NOBODY = 65_534
/** Not in the folder of all tests, which another user may not enter. */
const folder = mkdtempSync('/tmp/palanquin-tls-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Root may read everything. */
function asOther<T>(work: () => T): T {
  const user = process.geteuid?.()
  if (user === 0) process.seteuid?.(NOBODY)
  try {
    return work()
  } finally {
    if (user === 0) process.seteuid?.(user)
  }
}

test('a key that the process may not read: the error has its path, owner and mode, and the user of the process', () => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(cert, 'PEM')
  writeFileSync(key, 'PEM')
  chmodSync(folder, 0o755)
  chmodSync(key, process.geteuid?.() === 0 ? 0o600 : 0o200)
  const files = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }
  const { uid, mode } = statSync(key)
  const problem = asOther(() => {
    try {
      return readCertificate(files)
    } catch (error) {
      return `${process.geteuid?.()}: ${error}`
    }
  })
  const reader = uid === 0 ? NOBODY : uid
  expect(problem).toBe(
    `${reader}: Error: TLS_KEY_FILE=${key} cannot be read by user ${reader}: it belongs to user ${uid} and has mode ${(mode & 0o777).toString(8)}`,
  )
})

test('a file that is missing: the error names it', () => {
  const missing = join(folder, 'none.pem')
  expect(() => readCertificate({ TLS_CERT_FILE: missing, TLS_KEY_FILE: missing })).toThrow(
    /^TLS_CERT_FILE=\S+none\.pem cannot be read by user \d+: ENOENT/,
  )
})
