import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runLauncherWith } from '@palanquin/stack/testing/run-launcher'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'

// Seven launchers in turn take their time on a busy machine.
setDefaultTimeout(TEST_TIMEOUT_MS)

const root = mkdtempSync(join(tmpdir(), 'palanquin-broken-'))
afterAll(() => rmSync(root, { recursive: true }))
const file = join(root, 'file')
writeFileSync(file, '')

test.each([
  [{ REDIS_MAXMEMORY: 'lots' }, 'REDIS_MAXMEMORY=lots: expected a size such as 2gb'],
  [{ REDIS_URL: 'http://:canary@x' }, 'REDIS_URL is not the address of such a server: redis://'],
  [{ DATABASE_URL: 'mysql://x:canary@y' }, 'DATABASE_URL is not the address of such a server: postgres://'],
  [{ S3_ENDPOINT: 'host:9000' }, 'S3_ENDPOINT is not the address of such a server: https://'],
  [{ S3_ENDPOINT: 'http://127.0.0.1:9' }, 'S3_BUCKET is missing'],
  [{ TLS_CERT_FILE: file }, 'belong together'],
  [{ TLS_CERT_FILE: file, TLS_KEY_FILE: join(root, 'nowhere') }, 'TLS_KEY_FILE='],
  [{ LINE: 'stubb' }, 'LINE=stubb: expected stub'],
  [{ COPIES: 'two' }, 'COPIES=two: expected a number of copies'],
])(
  '%j is reported in one sentence that says what was expected, and nothing is started',
  async (settings, words) => {
    const home = join(root, `home-${Object.keys(settings).join()}`)
    const { code, out } = await runLauncherWith(settings, 'up', '--port', '0', '--home', home)
    expect({ code, lines: out.trim().split('\n').length }).toEqual({ code: 1, lines: 1 })
    expect(out).toContain(words)
    expect(out).not.toContain('canary')
    expect(existsSync(join(home, 'pg'))).toBe(false)
  },
)

test('a home that is a file is reported in one sentence by every command', async () => {
  for (const command of ['up', 'status', 'down', 'restart', 'logs', 'dead-letters', 'demo']) {
    const { code, out } = await runLauncherWith({}, command, '--home', join(file, 'home'))
    expect({ command, lines: out.trim().split('\n').length }).toEqual({ command, lines: 1 })
    expect(code).toBeLessThan(4)
    expect(out).not.toContain('    at ')
  }
})
