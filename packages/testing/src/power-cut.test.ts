import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appendDurably, makeFolder, writeAtomically } from '@palanquin/files/durable'
import { type FragileDisk, fragileDisk, whyNoPowerCut, withPowerCut } from './power-cut.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

describe.skipIf(whyNoPowerCut !== null)(withPowerCut('a power cut'), () => {
  let disk: FragileDisk
  const written = 'x'.repeat(10_000)
  beforeAll(async () => {
    disk = await fragileDisk(64)
  })
  afterAll(() => disk.close())
  const at = (name: string) => join(disk.folder, name)
  const left = (name: string): string | undefined => {
    try {
      return readFileSync(at(name), 'utf8')
    } catch {
      return undefined
    }
  }

  test('takes what was not synced, and leaves what the files’ helper wrote: new, replaced, appended, in new folders', async () => {
    writeAtomically(at('replaced'), 'old')
    appendDurably(at('list'), 'one\n')
    // Nothing is synced behind these, which would bring them to the disk as well.
    writeAtomically(at('replaced'), written)
    appendDurably(at('list'), 'two\n')
    makeFolder(at('a/b'), 0o700)
    writeAtomically(at('a/b/new'), written)
    writeFileSync(at('careless'), written)
    writeFileSync(at('draft'), written)
    renameSync(at('draft'), at('renamed'))
    mkdirSync(at('folder'))
    await disk.cut()
    expect(() => writeFileSync(at('after'), 'x')).toThrow('EIO')
    await disk.restore()
    expect(left('replaced')).toBe(written)
    expect(left('list')).toBe('one\ntwo\n')
    expect(left('a/b/new')).toBe(written)
    for (const name of ['careless', 'renamed']) expect(left(name)).not.toBe(written)
  })

  test('ends the processes that use the disk', async () => {
    const user = Bun.spawn(['sh', '-c', 'exec sleep 600'], { cwd: disk.folder })
    await disk.cut()
    await user.exited
    expect(user.signalCode).toBe('SIGKILL')
    await disk.restore()
  })
})
