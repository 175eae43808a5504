import { expect, test } from 'bun:test'
import { processorMs } from '@palanquin/testing/processor-time'
import { fromDataUrl, readSource } from './read-body.ts'

/** The largest body that the gateway lets through. */
const BODY_BYTES = 102_400
/** An image of that size is read in 2 ms; a pattern that backtracks from every position took 4,000 to 20,000. */
const MS_MAX = 200

const times = (part: string): string => part.repeat(Math.floor(90_000 / part.length))
/** `cheap`, or the cost. */
const costOf = (ms: number) => (ms < MS_MAX ? 'cheap' : `${ms} ms`)

test.each(['=', 'A=', 'A', 'A==', ' ', '\n', '/+'])(
  'a data URL of many %j costs no more than reading it',
  (part) => {
    for (const url of [`data:image/png;base64,${times(part)}`, `data:image/png;base64,${times(part)}!`])
      expect(
        costOf(
          processorMs(() => {
            try {
              fromDataUrl(url)
            } catch {
              // Other tests check the outcome.
            }
          }),
        ),
      ).toBe('cheap')
  },
)

const FORM = 'multipart/form-data; boundary=b'
const part = (headers: string) => `--b\r\n${headers}\r\n\r\n\r\n`
const named = (name: string) => `content-disposition: form-data; name="${name}"`

test.each([
  [
    'parameters of a data URL',
    JSON.stringify({ image: `data:image/png${times(';a=b')}` }),
    'application/json',
  ],
  ['a long parameter', JSON.stringify({ image: `data:image/png;a=${times('b')}` }), 'application/json'],
  ['many parts', Array.from({ length: 1_500 }, (_, at) => part(named(`a_b_c${at}`))).join(''), FORM],
  ['many files', Array.from({ length: 1_300 }, () => part(`${named('a')}; filename="a"`)).join(''), FORM],
  ['a long name', part(named(times('a'))), FORM],
  ['many headers of a part', part(`${times('a: b\r\n')}${named('a')}`), FORM],
  ['many parameters of a header', part(`content-disposition: form-data${times('; a="b"')}`), FORM],
  ['quotes', part(`content-disposition: form-data; name=${times('"')}`), FORM],
  [
    'what nearly is the boundary',
    times(`--${'a'.repeat(69)}b`),
    `multipart/form-data; boundary=${'a'.repeat(70)}`,
  ],
  ['a boundary of dashes', times('-'), `multipart/form-data; boundary=${'-'.repeat(70)}`],
  ['a long boundary', times('a'), `multipart/form-data; boundary=${'a'.repeat(45_000)}`],
  ['an empty boundary', times('--\r\n'), 'multipart/form-data; boundary='],
  ['many parameters of the type', '--b', `multipart/form-data${times('; a=b')}; boundary=b`],
  ['quotes in the type', '--b', `multipart/form-data; boundary="${times('\\"')}`],
])('an upload with %s is refused at the cost of reading it', async (_, text, type) => {
  const whole = type === FORM ? `${text}--b--\r\n` : text
  const bytes = new TextEncoder().encode(whole)
  expect(bytes.byteLength).toBeLessThanOrEqual(BODY_BYTES)
  const before = process.cpuUsage()
  await expect(readSource(bytes, type)).rejects.toMatchObject({ code: 'invalid' })
  const { user, system } = process.cpuUsage(before)
  expect(costOf((user + system) / 1_000)).toBe('cheap')
})
