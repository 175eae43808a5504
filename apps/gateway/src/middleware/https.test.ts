import { expect, describe as group, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { checkHttps } from './https.ts'

const HTTPS = { 'x-forwarded-proto': 'https' }

group('without proxies', () => {
  test('forwarded headers are ignored: the client is the peer', () => {
    const headers = new Headers({ ...HTTPS, 'x-forwarded-for': '198.51.100.7' })
    const secured = checkHttps([])(headers, () => '203.0.113.5')
    expect(secured instanceof ApiError ? secured : secured.client()).toBe('203.0.113.5')
  })
})

group('behind trusted proxies', () => {
  const behind = checkHttps(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])
  const clientOf = (forwardedFor: string | undefined, peer = '10.1.2.3') => {
    const outcome = behind(
      new Headers(forwardedFor === undefined ? HTTPS : { ...HTTPS, 'x-forwarded-for': forwardedFor }),
      () => peer,
    )
    return outcome instanceof ApiError ? outcome.code : outcome.client()
  }

  test('a peer that is not a proxy is rejected, whatever its headers', () => {
    for (const peer of ['203.0.113.5', '11.0.0.1', '2001:db8::1', '::ffff:203.0.113.5', ''])
      expect(clientOf('198.51.100.7', peer)).toBe('forbidden')
  })

  test('a proxy that was called over plain HTTP is rejected', () => {
    const proxy = () => '10.0.0.1'
    for (const proto of ['http', '', 'https, http', 'httpsx'])
      expect(behind(new Headers({ 'x-forwarded-proto': proto }), proxy)).toBeInstanceOf(ApiError)
    expect(behind(new Headers(), proxy)).toBeInstanceOf(ApiError)
  })

  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['1.1.1.1, 198.51.100.7', '198.51.100.7'],
    ['1.1.1.1, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['198.51.100.7, 192.0.2.1, 10.9.9.9', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['[2001:db8::5]:4711', '2001:db8::5'],
    ['10.7.7.7, 10.8.8.8', '10.7.7.7'],
    ['198.51.100.7, not-an-address', '10.1.2.3'],
    ['198.51.100.7, not-an-address, 10.9.9.9', '10.9.9.9'],
    ['', '10.1.2.3'],
    [undefined, '10.1.2.3'],
  ])('of %p the client is %p', (forwardedFor, client) => expect(clientOf(forwardedFor)).toBe(client))

  test('a proxy may be named by an IPv6 network, or reach us as IPv4 in IPv6', () => {
    expect(clientOf('198.51.100.7', 'fd12::1')).toBe('198.51.100.7')
    expect(clientOf('198.51.100.7', '::ffff:10.1.2.3')).toBe('198.51.100.7')
  })
})
