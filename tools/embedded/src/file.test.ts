import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { runScript, throwawayFolder } from '../test/throwaway.ts'
import { keepSecret, readIfThere, writeAtomically } from './file.ts'
import { withLock } from './lock.ts'
import { keepPort } from './port.ts'

let folder: ReturnType<typeof throwawayFolder>
beforeAll(() => {
  folder = throwawayFolder()
})
afterAll(() => folder.remove())

test('a secret is made once, of 192 bits, readable by its owner alone', () => {
  const file = join(folder.path, 'secrets', 'one')
  const secret = keepSecret(file)
  expect(secret).toMatch(/^[0-9a-f]{48}$/)
  expect(keepSecret(file)).toBe(secret)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder.path, 'secrets'))).toEqual(['one'])
})

test('processes that need the same secret at once get the same one', async () => {
  const file = join(folder.path, 'secrets', 'shared')
  const ask = `import { keepSecret } from '../src/file.ts'; console.log(keepSecret(${JSON.stringify(file)}))`
  const answers = await Promise.all([1, 2, 3, 4].map(() => runScript(ask).line()))
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toBe(keepSecret(file))
})

test.each(['', '\0'.repeat(49)])('a secret emptied by a power cut (%p) is never used', (left) => {
  const file = join(folder.path, 'emptied')
  writeFileSync(file, left)
  expect(() => keepSecret(file)).toThrow('remove it')
})

test('a file is replaced as a whole and stays private', () => {
  const file = join(folder.path, 'note')
  writeFileSync(file, 'a long former text', { mode: 0o644 })
  writeAtomically(file, 'new')
  expect(readIfThere(file)).toBe('new')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readIfThere(join(folder.path, 'missing'))).toBeUndefined()
})

test('a lock admits one process at a time, and is released when its holder is killed', async () => {
  const file = join(folder.path, 'lock')
  const hold = `import { withLock } from '../src/lock.ts'; await withLock(${JSON.stringify(file)}, async () => { console.log('in'); await Bun.sleep(60_000) })`
  const holder = runScript(hold)
  expect(await holder.line()).toBe('in')
  let entered = false
  const waiting = withLock(file, async () => {
    entered = true
    return 'done'
  })
  await Bun.sleep(100) // several tries
  expect(entered).toBe(false)
  await holder.kill()
  expect(await waiting).toBe('done')
})

test('a server started under a lock does not keep it', async () => {
  const file = join(folder.path, 'outlived')
  const server = await withLock(file, async () => Bun.spawn(['sleep', '60'], { detached: true }))
  try {
    expect(await withLock(file, async () => server.exitCode)).toBeNull()
  } finally {
    server.kill()
  }
})

test('work under a lock never overlaps within one process either', async () => {
  let inside = 0
  const enter = () =>
    withLock(join(folder.path, 'inner'), async () => {
      expect(++inside).toBe(1)
      await Bun.sleep(1)
      inside--
    })
  await Promise.all([enter(), enter(), enter()])
})

test('a port is kept while it is free or about to be, and replaced when it is taken', async () => {
  const file = join(folder.path, 'server.port')
  const port = await keepPort(file)
  // Linux gives 32,768 and above to connections, and to servers that ask for any port.
  expect(port).toBeWithin(20_000, 32_000)
  expect(await keepPort(file)).toBe(port)
  const listen = async () => {
    const other = createServer().listen(port, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    return other
  }
  const ending = await listen()
  const kept = keepPort(file)
  setTimeout(() => ending.close(), 100)
  expect(await kept).toBe(port)
  const other = await listen()
  const next = await keepPort(file)
  expect(next).not.toBe(port)
  expect(readIfThere(file)).toBe(`${next}\n`)
  other.close()
})
