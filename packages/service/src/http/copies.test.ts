import { afterEach, expect, test } from 'bun:test'
import { anyCopy } from './copies.ts'

const servers: Bun.Server<undefined>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true)
})

function copy(name: string) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) =>
      new Response(`${name} ${new URL(request.url).pathname} ${await request.text()}`),
  })
  servers.push(server)
  return `http://127.0.0.1:${server.port}`
}

const NOWHERE = 'unix:/nowhere/at-all.sock'

test('copies are asked in turn, and one that is away is passed over', async () => {
  const ask = anyCopy(`${copy('a')}, ${NOWHERE},${copy('b')}`)
  const said = new Set<string>()
  for (let i = 0; i < 6; i++) said.add(await (await ask('/x', { method: 'POST', body: 'body' })).text())
  expect([...said].toSorted()).toEqual(['a /x body', 'b /x body'])
})

test('where no copy can be reached, the call is refused as fetch refuses it', async () => {
  await expect(anyCopy(`${NOWHERE},http://127.0.0.1:1`)('/x', {})).rejects.toThrow()
})
