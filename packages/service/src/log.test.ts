import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onSmallDisk, smallDisk, whyNoSmallDisk } from '@palanquin/testing/small-disk'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** What a process prints that runs `script`; it ends by itself or by kill -9. */
async function printed(script: string): Promise<string[]> {
  const source = `import { userHasher } from ${JSON.stringify(import.meta.resolve('./hash-user.ts'))}
import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
    const log = createLog({ service: 'test', level: 'info' })
    ${script}`
  const child = Bun.spawn([process.execPath, '-e', source], { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  await child.exited
  return text.split('\n').filter(Boolean)
}

test('every line is there when a process ends, in order, as JSON', async () => {
  const lines = await printed("for (let n = 0; n < 500; n++) log.info({ n }, 'counted'); process.exit(0)")
  expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
    Array.from({ length: 500 }, (_, n) => n),
  )
})

test('a line is written at once, even if the process is killed in the next moment', async () => {
  const lines = await printed("log.info('before'); log.warn('now'); process.kill(process.pid, 'SIGKILL')")
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['before', 'now'])
})

test('secrets that a careless call passes are dropped, and a user is a hash', async () => {
  const [line = ''] = await printed(
    "log.warn({ token: 'canary', phone: 'canary', user: userHasher('a token')('Ucanary'), inner: { body: 'canary' } }, 'Logged'); process.exit(0)",
  )
  expect(line).not.toContain('canary')
  expect((JSON.parse(line) as { user: string }).user).toMatch(/^[0-9a-f]{12}$/)
})

test.skipIf(whyNoSmallDisk !== null)(
  onSmallDisk(
    'the disk of the log is full: the process runs and ends as it should, and reports later that lines are missing',
  ),
  async () => {
    const disk = await smallDisk(1)
    const file = join(disk.folder, 'log')
    disk.fill()
    const source = `import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
      const log = createLog({ service: 'test', level: 'info' })
      for (let n = 0; n < 200; n++) log.warn({ n }, 'counted')
      process.stderr.write('full')
      for await (const _ of process.stdin) log.warn('space again')
      process.exit(0)`
    const child = Bun.spawn([process.execPath, '-e', source], {
      stdin: 'pipe',
      stdout: Bun.file(file),
      stderr: 'pipe',
    })
    expect(new TextDecoder().decode((await child.stderr.getReader().read()).value)).toBe('full')
    disk.freeSpace()
    child.stdin.write('go')
    child.stdin.flush()
    const lines = await until(
      () => {
        const text = readFileSync(file, 'utf8')
        return text.includes('space again') && text.trim().split('\n')
      },
      { what: 'a line after' },
    )
    expect(lines.slice(-2).map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'warn', event: 'log.lines_dropped', lines: 200 }),
      expect.objectContaining({ msg: 'space again' }),
    ])
    disk.fill()
    child.stdin.end()
    expect(await child.exited).toBe(0)
    await disk.close()
  },
)
