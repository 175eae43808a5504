import { expect, test } from 'bun:test'
import { credentialTags } from './credential-tags.ts'

const tags = credentialTags('a-secret-of-the-tests-0001')

test('a tag is good for its text, its kind and its secret alone', () => {
  const session = tags.tagged('session', 'random')
  expect(session).toMatch(/^random[0-9A-Za-z]{6}$/)
  expect(tags.isTagged('session', session)).toBe(true)
  expect(tags.isTagged('edit token', session)).toBe(false)
  expect(tags.isTagged('session', session.replace('r', 's'))).toBe(false)
  expect(credentialTags('another secret').isTagged('session', session)).toBe(false)
  for (const text of ['', 'x', '一二三四五六', session.slice(0, -1), `${session}x`])
    expect(tags.isTagged('session', text)).toBe(false)
})

test('the tag of a recovery code is written in the digits of the code', () => {
  for (let n = 0; n < 200; n++) {
    const code = tags.tagged('recovery code', `${n}`)
    expect(code.slice(-6)).toMatch(/^[0-9A-HJKMNP-TV-Z]{6}$/)
    expect(tags.isTagged('recovery code', code)).toBe(true)
  }
})

test('a made-up one costs some microseconds', () => {
  const began = process.cpuUsage()
  for (let n = 0; n < 10_000; n++) tags.isTagged('session', `${n}`.padStart(49, 'x'))
  const { user, system } = process.cpuUsage(began)
  expect((user + system) / 10_000).toBeLessThan(100)
})
