import { expect, describe as group, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { HOSTILE_BODIES } from '@palanquin/testing/hostile-bodies'
import { processorMs } from '@palanquin/testing/processor-time'
import { ROUTES } from '../routes.ts'
import { readContent } from './content.ts'

const rowOf = (method: string, path: string) => {
  const row = ROUTES.find((route) => route.method === method && route.path === path)
  if (!row) throw new Error(`no row ${method} ${path}`)
  return row
}
/** Half of them are for the compiler to get to know the code. */
const BODIES = 40
const encode = (text: string) => new Uint8Array(Buffer.from(text)).buffer
const send = (
  line: string,
  text: string | ArrayBuffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => {
  const [method = '', path = ''] = line.split(' ')
  const request = new Request(`https://localhost${path}`, { method, headers })
  return readContent(
    rowOf(method, path.split('?')[0] ?? ''),
    request,
    typeof text === 'string' ? encode(text) : text,
  )
}
const outcome = (result: ReturnType<typeof send>) => (result instanceof ApiError ? result.message : result)

group('a JSON body', () => {
  test.each(['userId', 'user_id', 'line_user_id', 'lineUserId'])('may call the user %s', (name) => {
    const json = JSON.stringify({ [name]: 'U1' })
    expect(send('POST /checkin', json)).toEqual({ userId: 'U1', query: '', json })
  })

  test.each([
    ['', 'not valid JSON'],
    ['{', 'not valid JSON'],
    ['{"userId":"U1"} x', 'not valid JSON'],
    ['NaN', 'not valid JSON'],
    ['[]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['"U1"', 'must be a JSON object'],
    ['{}', 'userId: expected'],
    ['{"userId":5}', 'userId: expected'],
    ['{"userId":null}', 'userId: expected'],
    ['{"userId":""}', 'userId: expected'],
    ['{"userId":"a b"}', 'userId: expected'],
    ['{"userId":"../x"}', 'userId: expected'],
    ['{"userId":"a\\u0000"}', 'userId: expected'],
    [`{"userId":"${'x'.repeat(65)}"}`, 'userId: expected'],
    ['{"__proto__":{"userId":"U1"}}', 'userId: expected'],
  ])('%s is refused with a sentence', (text, words) => {
    expect(outcome(send('POST /checkin', text))).toContain(words)
  })

  test('bytes that are not UTF-8 are rejected', () => {
    expect(outcome(send('POST /checkin', new Uint8Array([0x7b, 0xff, 0x7d]).buffer))).toContain(
      'not valid JSON',
    )
  })

  test('the last of two keys of one name counts', () => {
    expect(send('POST /checkin', '{"userId":"U1","userId":"U2"}')).toMatchObject({ userId: 'U2' })
  })

  test('any depth of nesting is rejected without a crash', () => {
    const deep = `{"userId":"U1","x":${'['.repeat(40_000)}${']'.repeat(40_000)}}`
    expect(outcome(send('POST /checkin', deep))).toBe('x: expected at most 16 levels of nesting')
  })

  test('may be empty where no body is required, and without a userId where none is required', () => {
    expect(send('POST /admin/end-activity', '')).toEqual({ userId: undefined, query: '' })
    expect(send('PUT /admin/status', '{"status":"paused"}')).toEqual({ userId: undefined, query: '' })
    expect(send('POST /feedback', '{"message":"x"}')).toEqual({ userId: undefined, query: '' })
    expect(outcome(send('POST /feedback', '{"userId":"a b"}'))).toContain('userId: expected')
  })
})

group('content types and encodings', () => {
  const type = (value: string) => outcome(send('POST /checkin', '{"userId":"U1"}', { 'content-type': value }))

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/geo+json',
  ])('%s is JSON', (value) => expect(type(value)).toMatchObject({ userId: 'U1' }))
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    'application/jsonx',
    'text/json',
  ])('%s is what a form of another site can send, or no JSON: refused', (value) =>
    expect(type(value)).toBe('Content-Type: expected application/json'),
  )

  test('none at all counts as JSON, but not from a browser, where a page of another site can send it', () => {
    expect(send('POST /checkin', '{"userId":"U1"}', {})).toMatchObject({ userId: 'U1' })
    expect(outcome(send('POST /checkin', '{"userId":"U1"}', { origin: 'https://evil.example' }))).toBe(
      'Content-Type: expected application/json',
    )
  })

  test('an upload may be a form; nothing else may', () => {
    const form = { 'content-type': 'multipart/form-data; boundary=x' }
    expect(send('POST /feedback-upload', '--x--', form)).toEqual({ userId: undefined, query: '' })
    expect(outcome(send('POST /feedback', '--x--', form))).toContain('Content-Type')
  })

  test('the webhook’s bytes are not read', () => {
    expect(send('POST /webhook', '{{', { 'content-type': 'text/plain' })).toEqual({
      userId: undefined,
      query: '',
    })
  })

  test.each(['gzip', 'br', 'deflate', 'gzip, identity'])(
    'a body compressed with %s is rejected',
    (encoding) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
      expect(outcome(send('POST /checkin', '{"userId":"U1"}', headers))).toContain('compressed')
      expect(outcome(send('POST /webhook', '{}', headers))).toContain('compressed')
    },
  )
})

group('a query', () => {
  test.each(['userId=U1', 'user_id=U1', 'line_user_id=U1'])('%s goes on as userId', (query) => {
    expect(send(`GET /photos/count?${query}`, '')).toEqual({ userId: 'U1', query: '?userId=U1' })
  })

  test.each(['', '?', '?userId=', '?userId=a%20b', '?userId=%00', '?other=1'])(
    '%p names no user: refused',
    (query) => {
      expect(send(`GET /photos/count${query}`, '')).toBeInstanceOf(ApiError)
    },
  )

  test('is serialized again, so that only names and values are forwarded', () => {
    expect(send('GET /data?bbox=1,2,3,4&since=a%26b#frag?x', '')).toMatchObject({
      query: '?bbox=1%2C2%2C3%2C4&since=a%26b',
    })
    expect(outcome(send('GET /data?since=%00', ''))).toContain('since: expected')
  })
  test('with more parameters than any client has is rejected before it is parsed', () => {
    const parameters = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')
    expect(outcome(send(`GET /data?${parameters(64)}`, ''))).toMatchObject({ userId: undefined })
    expect(outcome(send(`GET /data?${parameters(65)}`, ''))).toBe('query: expected at most 64 parameters')
  })
})

group('a hostile body', () => {
  test.each(HOSTILE_BODIES)(
    'of $name costs less than 5 ms of processor, rejected or not',
    ({ text, isRefused }) => {
      const bodies = Array.from({ length: BODIES }, (_, index) => encode(text(index)))
      const read = (body: ArrayBuffer) => send('POST /track/sync', body)
      for (const body of bodies.splice(0, BODIES / 2)) read(body)
      const results: unknown[] = []
      // The least of all: what other threads and other programs add is not the body's.
      const costs = bodies.map((body) => processorMs(() => results.push(read(body))))
      expect(Math.min(...costs)).toBeLessThan(5)
      for (const result of results) expect(result instanceof ApiError).toBe(isRefused)
    },
  )
})
