import { expect, test } from 'bun:test'
import { isCluster, readAddresses } from './redis-addresses.ts'

test('one address is a server; several, or one that is named twice, are a cluster', () => {
  expect(isCluster('redis://one:7000')).toBe(false)
  expect(isCluster('redis://one:7000,two:7000')).toBe(true)
  expect(isCluster('redis://one:7000,one:7000')).toBe(true)
})

test('the user, the password and TLS of the first address are those of all nodes', () => {
  expect(readAddresses('rediss://tracking:p%40ss@one:7000, two, rediss://other:secret@[::1]:7002')).toEqual({
    nodes: [
      { host: 'one', port: 7000 },
      { host: 'two', port: 6379 },
      { host: '::1', port: 7002 },
    ],
    username: 'tracking',
    password: 'p@ss',
    tls: true,
  })
  expect(readAddresses('redis://one,two')).toEqual({
    nodes: [
      { host: 'one', port: 6379 },
      { host: 'two', port: 6379 },
    ],
    tls: false,
  })
})

test('an address that cannot be read is refused without being repeated', () => {
  for (const wrong of ['one:7000,two:7000', 'redis://:secret@one:7000,two:notaport', 'http://one,two']) {
    const error = (() => {
      try {
        return readAddresses(wrong)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).not.toContain('secret')
  }
})
