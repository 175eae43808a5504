import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rotateLogs } from '@palanquin/stack/lifecycle/log-rotation'
import { MAIN_FILE } from '@palanquin/stack/project'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

setDefaultTimeout(TEST_TIMEOUT_MS)

const home = mkdtempSync(join(tmpdir(), 'palanquin-follow-'))
const logs = join(home, 'logs')
const file = join(logs, 'tracking.log')
mkdirSync(logs)
afterAll(() => rmSync(home, { recursive: true, force: true }))

test('`logs -f` shows every line once across rotations, and `logs -n` those before one', async () => {
  const lines = Array.from({ length: 60 }, (_, n) => `line ${n} 媽祖`)
  const write = (from: number, to: number) => appendFileSync(file, `${lines.slice(from, to).join('\n')}\n`)
  write(0, 10)
  rotateLogs(logs, 1)
  write(10, 20)
  const reader = Bun.spawn([process.execPath, MAIN_FILE, 'logs', '-f', '-n', '15', '--home', home], {
    stdout: 'pipe',
  })
  let shown = ''
  const reading = (async () => {
    for await (const bytes of reader.stdout) shown += new TextDecoder().decode(bytes)
  })()
  const shows = (line: number) => until(() => shown.includes(lines[line] ?? '?'), { what: `line ${line}` })
  await shows(19)
  for (let n = 20; n < 60; n += 10) {
    write(n, n + 5)
    rotateLogs(logs, 1)
    write(n + 5, n + 10)
    await shows(n + 9)
  }
  reader.kill()
  await reading
  expect(shown.trim().split('\n')).toEqual(lines.slice(5))
})
