import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Addresses, listen } from './listen.ts'

let folder: string
let http: ReturnType<typeof listen>
let ready: Addresses
const begun = Promise.withResolvers<void>()
const othersAreCut = Promise.withResolvers<void>()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'listen-'))
  const readyFile = join(folder, 'ready.json')
  http = listen({
    app: {
      fetch: async (request) => {
        if (!request.url.endsWith('/internal/flush')) return Promise.withResolvers<Response>().promise
        begun.resolve()
        await othersAreCut.promise
        return new Response('done')
      },
    },
    host: '127.0.0.1',
    port: 0,
    readyFile,
    unhurried: ['/internal/flush'],
    idleTimeoutS: 1,
  })
  await http.start?.()
  ready = JSON.parse(readFileSync(readyFile, 'utf8'))
})
afterAll(async () => {
  await http.stop?.()
  rmSync(folder, { recursive: true, force: true })
})

test(
  'what takes long answers at last on a path where that is known, and is cut off elsewhere',
  async () => {
    const ask = (path: string) =>
      fetch(ready.url + path, { method: 'POST' }).then(
        (answer) => answer.text(),
        () => 'cut off',
      )
    const flushed = ask('/internal/flush')
    await begun.promise
    expect(await ask('/elsewhere')).toBe('cut off')
    othersAreCut.resolve()
    expect(await flushed).toBe('done')
  },
  TEST_TIMEOUT_MS,
)
