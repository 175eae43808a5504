import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onSmallDisk, smallDisk, whyNoSmallDisk } from './small-disk.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'
import { until } from './until.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const HERE = fileURLToPath(new URL('.', import.meta.url))
const children: Bun.Subprocess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

const isMounted = (folder: string): boolean => readFileSync('/proc/mounts', 'utf8').includes(` ${folder} `)

test.skipIf(whyNoSmallDisk !== null)(
  onSmallDisk('a small disk runs full, has space again, and goes also while a file on it is open'),
  async () => {
    const disk = await smallDisk(2)
    expect(disk.freeBytes()).toBeLessThanOrEqual(2 * 1_048_576)
    disk.fill()
    expect(disk.freeBytes()).toBe(0)
    expect(() => writeFileSync(join(disk.folder, 'more'), 'x')).toThrow('ENOSPC')
    disk.freeSpace()
    writeFileSync(join(disk.folder, 'more'), 'x')
    const open = Bun.file(join(disk.folder, 'more')).stream().getReader()
    await disk.close()
    expect([isMounted(disk.folder), existsSync(disk.folder)]).toEqual([false, false])
    await open.cancel()
  },
)

test.skipIf(whyNoSmallDisk !== null)(
  onSmallDisk('a test process that is killed leaves no mount behind'),
  async () => {
    const script = `
      import { smallDisk } from '${HERE}small-disk.ts'
      console.log((await smallDisk(1)).folder)
      setInterval(() => {}, 1_000)`
    const child = Bun.spawn([process.execPath, '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const { value } = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read()
    const folder = value?.trim() ?? ''
    expect(isMounted(folder)).toBe(true)
    child.kill('SIGKILL')
    await until(() => !isMounted(folder) && !existsSync(folder), { what: 'the end of its disk' })
  },
)
