import { expect, describe as group, test } from 'bun:test'
import { rawCall } from '../test/raw.ts'
import { useStand } from '../test/use-stand.ts'

const house = useStand({ env: { RATE_LIMITS: 'off', PUBLIC_HOSTS: 'walk.example' } })

group('request smuggling', () => {
  const H = 'POST /api/event/checkin HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const HIDDEN = 'GET /api/event/data HTTP/1.1\r\nHost: localhost\r\n\r\n'
  test.each([
    ['CL and TE', `${H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['TE and CL', `${H}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['two CL that differ', `${H}Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}${HIDDEN}`],
    ['two CL that agree', `${H}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
    ['a list of CL', `${H}Content-Length: 2, 2\r\n\r\n{}`],
    ['CL +5', `${H}Content-Length: +5\r\n\r\n{"a":`],
    ['CL -5', `${H}Content-Length: -5\r\n\r\n{"a":`],
    ['CL 0x5', `${H}Content-Length: 0x5\r\n\r\n{"a":`],
    ['CL 5 5', `${H}Content-Length: 5 5\r\n\r\n{"a":`],
    ['an empty CL', `${H}Content-Length: \r\n\r\n{}`],
    ['a CL past all numbers', `${H}Content-Length: 99999999999999999999999\r\n\r\n{}`],
    ['obs-fold', `${H}X-A: a\r\n b\r\nContent-Length: 2\r\n\r\n{}`],
    ['obs-fold in CL', `${H}Content-Length:\r\n 2\r\n\r\n{}`],
    ['a space before the colon', `${H}Content-Length : 2\r\n\r\n{}`],
    ['TE identity', `${H}Transfer-Encoding: identity\r\n\r\n{}`],
    ['TE xchunked', `${H}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['TE gzip, chunked', `${H}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['TE chunked, identity', `${H}Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['two TE', `${H}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size of +2', `${H}Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size of 0x2', `${H}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk longer than it says', `${H}Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX\r\n0\r\n\r\n`],
    ['bare line feeds in chunks', `${H}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n`],
    ['a bare CR in a header', `${H}X-A: a\rb\r\nContent-Length: 2\r\n\r\n{}`],
    ['NUL in a header', `${H}X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}`],
  ])('%s is 400, closes the connection, and nothing behind it is served', async (_, bytes) => {
    const answer = await rawCall(house.stand.port, bytes)
    expect(answer.status).toBe(400)
    expect(answer.closed).toBe(true)
    expect(answer.text.match(/HTTP\/1\.1 2/g)).toBeNull()
    expect(house.calls()).toEqual([])
  })

  test('a body on a GET is not the next request', async () => {
    const answer = await rawCall(
      house.stand.port,
      `GET /api/event/data HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    )
    expect(answer.text.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    expect(house.calls()).toHaveLength(1)
  })

  test('plain HTTP on the TLS port is not served', async () => {
    await expect(fetch(`http://localhost:${house.stand.port}/health`)).rejects.toThrow()
  })
})
