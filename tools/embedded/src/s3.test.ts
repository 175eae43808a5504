import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Bucket, KEYS, openS3 } from '../test/s3-server.ts'
import { identify } from './process.ts'
import { startS3, stopS3 } from './s3.ts'

let s3: Awaited<ReturnType<typeof openS3>>
beforeAll(async () => {
  s3 = await openS3()
})
afterAll(() => s3.close())

const optionsOf = (name: string) => ({
  dataDir: join(s3.folder, name),
  logFile: join(s3.folder, 'log'),
  bucket: Bucket,
  ...KEYS,
})

test('a start adopts a running server, unless it was started with other settings', async () => {
  const first = await startS3(optionsOf('adopted'))
  expect(await startS3(optionsOf('adopted'))).toMatchObject({ pid: first.pid, adopted: true })
  const other = await startS3({ ...optionsOf('adopted'), secretAccessKey: 'changed' })
  expect(other).toMatchObject({ port: first.port, adopted: false })
  expect(identify(first.pid)).toBeUndefined()
  expect(identify(other.pid)?.command).not.toContain('changed')
  expect(await stopS3(optionsOf('adopted'))).toBe(true)
  expect(await stopS3(optionsOf('adopted'))).toBe(false)
})

test('a fixed port that is taken is reported, and the server there is not mistaken for ours', async () => {
  const work = startS3({ ...optionsOf('other'), port: s3.server.port })
  await expect(work).rejects.toThrow(
    `The S3 server cannot have port ${s3.server.port}: end the program that listens there`,
  )
})

test('every acknowledged put is there after a kill -9, byte by byte', async () => {
  let { server } = s3
  const content = (key: string, round: number) => Buffer.alloc(20_000 + round, `${key} ${round} `)
  const acknowledged = new Map<string, number>()
  const attempted = new Map<string, number>()
  for (const round of [1, 2, 3, 4, 5]) {
    const killed = Promise.withResolvers<void>()
    const writer = async (lane: number) => {
      for (let count = 0; ; count++) {
        const key = `crash/${lane}/${count % 7}`
        attempted.set(key, round)
        const done = await s3.put(key, content(key, round)).then(
          () => true,
          () => false,
        )
        if (!done) return
        acknowledged.set(key, round)
        if (count === 9 + lane) killed.resolve()
      }
    }
    const lanes = [1, 2, 3, 4].map(writer)
    await killed.promise
    process.kill(server.pid, 'SIGKILL')
    await Promise.all(lanes)
    server = await s3.start()
    for (const [key, kept] of acknowledged) {
      const { bytes } = await s3.get(key)
      const possible = [kept, attempted.get(key) ?? kept].map((stored) => content(key, stored))
      expect(possible.some((bytesThen) => bytesThen.equals(bytes))).toBe(true)
    }
  }
  expect(acknowledged.size).toBe(28)
  await server.stop()
})
