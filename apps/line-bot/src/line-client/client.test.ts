import { expect, test } from 'bun:test'
import { createLineClient } from './client.ts'

/** A LINE that answers everything so. */
async function faultFrom(status: number, body: object): Promise<string | null> {
  const server = Bun.serve({ port: 0, fetch: () => Response.json(body, { status }) })
  const base = server.url.href
  try {
    const client = createLineClient({ apiBase: base, dataApiBase: base, accessToken: 'token' })
    return await client.faultOf([{ type: 'text', text: '起駕！' }])
  } finally {
    await server.stop(true)
  }
}

test('a message has a fault only where LINE answers 400', async () => {
  const refusal = {
    message: 'wrong',
    details: [{ property: 'messages[0].text', message: 'May not be empty' }],
  }
  expect(await faultFrom(400, refusal)).toBe('wrong: messages[0].text: May not be empty')
  for (const status of [200, 401, 404, 405, 413, 429, 500])
    expect(await faultFrom(status, refusal)).toBeNull()
})
