import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { onSmallDisk, type SmallDisk, smallDisk, whyNoSmallDisk } from '@palanquin/testing/small-disk'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { takeDown } from '../lifecycle/take-down.ts'
import { homeAt } from '../run-state/home.ts'
import { runLauncher } from '../testing/run-launcher.ts'
import { explainFullDisk } from './full-disk.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** PostgreSQL makes 40 MB at its first start. */
const TOO_SMALL_MEGABYTES = 24
const skipped = whyNoSmallDisk !== null
let disk: SmallDisk | undefined
beforeAll(async () => {
  if (!skipped) disk = await smallDisk(TOO_SMALL_MEGABYTES)
})
afterAll(() => disk?.close())

test.skipIf(skipped)(
  onSmallDisk('a full disk is reported in one sentence, attached or not, and nothing is left running'),
  async () => {
    const folder = join(disk?.folder ?? '', 'home')
    for (const flags of [['--detach'], []]) {
      const { code, out } = await runLauncher('up', ...flags, '--port', '0', '--home', folder)
      const last = out.trim().split('\n').at(-1)
      expect({ code, last }).toEqual({
        code: 1,
        last: expect.stringMatching(/^The disk of .* is full: \d+ MB are free, .* --home DIR\.$/),
      })
      expect(out).not.toContain('    at ')
    }
    disk?.fill()
    const { code, out } = await runLauncher(
      'up',
      '--port',
      '0',
      '--home',
      join(disk?.folder ?? '', 'another'),
    )
    expect({ code, lines: out.trim().split('\n').length }).toEqual({ code: 1, lines: 1 })
    expect(out).toContain('is full: 0 MB are free')
    if (existsSync(folder)) expect(await takeDown(homeAt(folder))).toEqual([])
  },
)

test('an error unrelated to the disk is passed on unchanged', async () => {
  const error = new Error('Port 1 is taken')
  const work = explainFullDisk(homeAt('/nowhere/at/all'), () => Promise.reject(error))
  await expect(work).rejects.toBe(error)
})
