import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { credentialTags } from './credential-tags.ts'
import { isWriteToken, newWriteToken, writeTokenHash } from './write-token.ts'

const SECRET = 'a-secret-of-the-tests-0001'
const tags = credentialTags(SECRET)

test('a token is a prefix, 23 random letters and digits, and the first 32 bits of their HMAC in base 62', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const token = newWriteToken(tags)
  expect(token).toMatch(/^plq[0-9A-Za-z]{29}$/)
  const value = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
  const key = createHmac('sha256', SECRET).update('write token').digest()
  const mac = createHmac('sha256', key).update(token.slice(0, 26)).digest()
  expect(value).toBe(mac.readUInt32BE())
  expect(new Set(Array.from({ length: 100 }, () => newWriteToken(tags))).size).toBe(100)
})

test('one wrong letter, a missing one or another case is no token, nor is that of another secret', () => {
  const token = newWriteToken(tags)
  const isToken = (text: string) => isWriteToken(tags, text)
  expect(isToken(token)).toBe(true)
  for (let at = 3; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x'
    expect(isToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false)
    expect(isToken(token.slice(0, at) + token.slice(at + 1))).toBe(false)
  }
  expect(isToken(` ${token}`)).toBe(false)
  expect(isToken(token.toUpperCase() === token ? token.toLowerCase() : token.toUpperCase())).toBe(false)
  expect(isToken(newWriteToken(credentialTags('another-secret')))).toBe(false)
})

test('what is stored is a SHA-256 in base64url', () => {
  expect(writeTokenHash('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
})
