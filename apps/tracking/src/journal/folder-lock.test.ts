import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { lockFolder } from './folder-lock.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const LOCK_MODULE = fileURLToPath(new URL('./folder-lock.ts', import.meta.url))
const SOON_MS = 200
const children = new Set<Bun.Subprocess>()
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palanquin-lock-'))
})
afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL')
    await child.exited
  }
  children.clear()
  rmSync(folder, { recursive: true, force: true })
})

const names = () => readdirSync(folder)

/** A process of its own that holds the lock of the folder, and keeps it until it is killed. */
async function holder() {
  const script = `
    const { lockFolder } = await import(${JSON.stringify(LOCK_MODULE)})
    await lockFolder(${JSON.stringify(folder)})
    process.stdout.write('locked')
    setInterval(() => {}, 60_000)`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  children.add(child)
  expect(await new Response(child.stdout.pipeThrough(firstChunk())).text()).toBe('locked')
  return child
}
/** Ends a stream after its first chunk. */
const firstChunk = () =>
  new TransformStream({
    transform: (chunk, controller) => {
      controller.enqueue(chunk)
      controller.terminate()
    },
  })

test('a folder that another process uses is refused, also while that process is stopped', async () => {
  const other = await holder()
  await expect(lockFolder(folder, SOON_MS)).rejects.toThrow('JOURNAL_DIR')
  other.kill('SIGSTOP')
  await expect(lockFolder(folder, SOON_MS)).rejects.toThrow('JOURNAL_DIR')
})

test('the lock of a process killed with SIGKILL is ignored', async () => {
  const other = await holder()
  other.kill('SIGKILL')
  await other.exited
  const lock = await lockFolder(folder, 0)
  expect(names()).toHaveLength(1) // its own: the socket of the dead one is gone
  lock.release()
  expect(names()).toEqual([])
})

test('a waiting process gets the lock when a draining one releases it', async () => {
  const first = await lockFolder(folder)
  const second = lockFolder(folder)
  first.release()
  const lock = await second
  await expect(lockFolder(folder, 0)).rejects.toThrow('JOURNAL_DIR')
  lock.release()
})

test('of many attempts at once each gets the lock, one at a time', async () => {
  let holders = 0
  let most = 0
  const turn = async () => {
    const lock = await lockFolder(folder, TEST_TIMEOUT_MS)
    most = Math.max(most, ++holders)
    await new Promise<void>((tick) => setImmediate(tick))
    holders--
    lock.release()
  }
  await Promise.all(Array.from({ length: 6 }, turn))
  expect(most).toBe(1)
  expect(names()).toEqual([])
})

test('the rest of a half-made lock, and the lock of earlier versions, are removed', async () => {
  writeFileSync(join(folder, 'lock-01234567.0123456789ab.draft'), '')
  writeFileSync(join(folder, 'lock-89abcdef'), '')
  writeFileSync(join(folder, 'lock'), '')
  const lock = await lockFolder(folder, 0)
  expect(names()).toHaveLength(1)
  lock.release()
})
