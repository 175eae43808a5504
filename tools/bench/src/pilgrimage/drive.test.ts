import { expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { openConnection } from '../load/connection.ts'
import { CONNECTIONS, openDriver } from './drive.ts'

const REQUEST = Buffer.from('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
const server = (port = 0) => Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('yes') })

test('a request over a connection that the server has closed is an error, and never waits for an answer', async () => {
  const listening = server()
  const connection = await openConnection({ url: listening.url, ca: undefined })
  expect(await connection.send(REQUEST)).toEqual({ status: 200, bytes: 3 })
  await listening.stop(true)
  await until(() => !connection.isOpen(), { what: 'the connection is closed' })
  await expect(connection.send(REQUEST)).rejects.toThrow('the connection is closed')
})

test('a driver goes on after a pause in which all of its connections were closed', async () => {
  const first = server()
  const { port, url } = first
  const driver = await openDriver({ base: url.href, ca: '' })
  await first.stop(true)
  const second = server(port)
  const requests = Array.from({ length: CONNECTIONS }, () => ({ method: 'GET', path: '/' }) as const)
  const sent = async () => {
    await driver.reopen()
    return (await driver.drive(requests.values(), 200)).sent
  }
  expect(await until(sent, { what: 'the driver has noticed that they are closed' })).toBe(CONNECTIONS)
  driver.close()
  await second.stop(true)
})
