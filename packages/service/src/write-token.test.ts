import { expect, test } from 'bun:test'
import { isWriteToken, newWriteToken, writeTokenHash } from './write-token.ts'

test('a token is a prefix, 23 random letters and digits, and their CRC-32 in base 62', () => {
  const body = `plq${'0'.repeat(23)}`
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const token = newWriteToken()
  expect(token).toMatch(/^plq[0-9A-Za-z]{29}$/)
  const value = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
  expect(value).toBe(Bun.hash.crc32(token.slice(0, 26)))
  expect(isWriteToken(`${body}000000`)).toBe(false)
  expect(new Set(Array.from({ length: 100 }, newWriteToken)).size).toBe(100)
})

test('one wrong letter, a missing one or another case is no token', () => {
  const token = newWriteToken()
  expect(isWriteToken(token)).toBe(true)
  for (let at = 3; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x'
    expect(isWriteToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false)
    expect(isWriteToken(token.slice(0, at) + token.slice(at + 1))).toBe(false)
  }
  expect(isWriteToken(` ${token}`)).toBe(false)
  expect(isWriteToken(token.toUpperCase() === token ? token.toLowerCase() : token.toUpperCase())).toBe(false)
})

test('what is stored is a SHA-256 in base64url', () => {
  expect(writeTokenHash('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
})
