import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { stack } from './unlimited-stack.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PARTICIPANTS = 40

const statusOf = async (path: string, body: object): Promise<number> =>
  (await stack.api.post(path, body)).status

test('after a withdrawal is answered no position is accepted, and after a return is answered they are again', async () => {
  const walk = async (index: number) => {
    const userId = `leaves-${index}`
    const checkin = () => statusOf('/checkin', { userId, lat: 24 + Math.random() / 10, lng: 120.6 })
    const sync = () =>
      statusOf('/track/sync', { userId, points: [{ lat: 24, lng: 120.6, recordedAt: Date.now() }] })
    const change = (status: string) => statusOf('/participant-status', { userId, status })
    const found = [await checkin(), await change('withdrawn'), await checkin(), await sync()]
    return [...found, await change('active'), await checkin(), await sync()]
  }
  const walks = await Promise.all(Array.from({ length: PARTICIPANTS }, (_, index) => walk(index)))
  for (const found of walks) expect(found).toEqual([202, 200, 403, 403, 200, 202, 200])
})
