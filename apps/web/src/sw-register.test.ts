import { expect, test } from 'bun:test'
import { isLineOnIos } from './sw-register.ts'

test.each([
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari Line/15.1.0',
    true,
  ],
  ['Mozilla/5.0 (iPad; CPU OS 18_2 like Mac OS X) AppleWebKit/605.1.15 Safari Line/15.1.0/IAB', true],
  ['Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) Chrome/131.0 Mobile Safari/537.36 Line/15.1.0/IAB', false],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) Version/18.2 Mobile/15E148 Safari/604.1', false],
])('%p is LINE on iOS: %p', (userAgent, expected) => {
  expect(isLineOnIos(userAgent)).toBe(expected)
})
