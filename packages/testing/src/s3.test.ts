import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type TestS3, testS3 } from './s3.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let s3: TestS3
beforeAll(async () => {
  s3 = await testS3()
})
afterAll(() => s3.close())

test('what S3 acknowledged is there after a kill -9 and a restart, at the same address', async () => {
  const { url: endpoint, ...access } = s3
  const client = new Bun.S3Client({ endpoint, ...access })
  await client.write('card.png', 'a card')
  await s3.kill9()
  await expect(client.file('card.png').text()).rejects.toThrow()
  await s3.restart()
  expect(await client.file('card.png').text()).toBe('a card')
})
