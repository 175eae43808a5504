import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { processTreeOf } from '@palanquin/embedded/process-table'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'

setDefaultTimeout(TEST_TIMEOUT_MS)

const SECRET = 'a-canary-that-no-process-may-see'
const LINE_SECRET = 'line-secret-of-the-canary-test'
const LINE_TOKEN = 'line-token-of-the-canary-test'
const S3_SECRET = 's3-secret-of-the-canary-test'
const PSEUDONYM = 'pseudonyms-of-the-canary-test-0123456789'

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({
    AWS_SECRET_ACCESS_KEY: SECRET,
    LINE_CHANNEL_SECRET: LINE_SECRET,
    LINE_CHANNEL_ACCESS_TOKEN: LINE_TOKEN,
    LINE_API_BASE: 'http://127.0.0.1:9',
    LINE_DATA_API_BASE: 'http://localhost:9',
    PSEUDONYM_SECRET: PSEUDONYM,
    S3_SECRET_ACCESS_KEY: S3_SECRET,
  })
})
afterAll(() => stack?.close())

const IN_PROC = process.platform === 'linux'
const title = (text: string) => (IN_PROC ? text : `${text} (skipped: only Linux shows it)`)

type Seen = { name: string; environment: string }

/** Every process of this home, by its pid file, with its children. */
function processes(): Seen[] {
  const { runFolder, pidFile } = stack.home
  const names = readdirSync(runFolder).flatMap((file) => (file.endsWith('.pid') ? [file.slice(0, -4)] : []))
  return names.flatMap((name) => {
    const { pid }: { pid: number } = JSON.parse(readFileSync(pidFile(name), 'utf8'))
    return processTreeOf(pid).map((one) => ({ name, environment: readIfThere(`/proc/${one}/environ`) }))
  })
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return '' // it ended meanwhile
  }
}

const withIt = (seen: Seen[], text: string) => [
  ...new Set(
    seen.filter(({ environment }) => environment.includes(text)).map(({ name }) => name.replace(/-\d$/, '')),
  ),
]

test.skipIf(!IN_PROC)(
  title('every process has its own secrets alone, and nothing of what the caller of `up` had besides'),
  async () => {
    const seen = processes()
    const names = [...new Set(seen.map(({ name }) => name.replace(/-\d$/, '')))]
    expect(names).toEqual(
      expect.arrayContaining(['gateway', 'tracking', 'map', 'media', 'line-bot', 'postgres']),
    )
    expect(withIt(seen, 'PATH=').sort()).toEqual(names.sort()) // checked by its own test
    expect(withIt(seen, SECRET)).toEqual([])
    expect(withIt(seen, LINE_SECRET)).toEqual(['line-bot'])
    expect(withIt(seen, LINE_TOKEN)).toEqual(['line-bot'])
    expect(withIt(seen, PSEUDONYM).sort()).toEqual([
      'engagement',
      'gateway',
      'line-bot',
      'map',
      'media',
      'tracking',
    ])
    const { tokens } = stack.running()
    for (const token of Object.values(tokens)) expect(withIt(seen, token)).toEqual(['gateway'])
    expect(withIt(seen, S3_SECRET)).toEqual(['media'])
    expect(withIt(seen, 'DATABASE_URL=')).not.toContain('gateway')
  },
)
