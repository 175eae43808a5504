import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { TEST_TIMEOUT_MS } from './timeout.ts'
import { until } from './until.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const HARNESS = fileURLToPath(new URL('.', import.meta.url))
const children: { kill: (signal: NodeJS.Signals) => void }[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** A process that starts all three kinds of server, prints their pids and supervisor. */
function startHolder() {
  const script = `
    import { testPostgres } from '${HARNESS}postgres.ts'
    import { testRedis } from '${HARNESS}redis.ts'
    import { testS3 } from '${HARNESS}s3.ts'
    const servers = await Promise.all([testPostgres(), testRedis(), testS3()])
    console.log(JSON.stringify(servers.map((server) => server.pid())))
    if (process.argv.includes('stay')) setInterval(() => {}, 1_000)`
  return (...args: string[]) => {
    const child = Bun.spawn([process.execPath, '-e', script, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    return child
  }
}

async function pidsOf(child: { stdout: ReadableStream<Uint8Array> }): Promise<number[]> {
  let text = ''
  for await (const bytes of child.stdout) {
    text += new TextDecoder().decode(bytes)
    if (text.includes('\n')) break
  }
  return JSON.parse(text)
}

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // ESRCH
  }
}

test('a test process that is killed leaves no server behind', async () => {
  const child = startHolder()('stay')
  const pids = await pidsOf(child)
  expect(pids).toHaveLength(3)
  expect(pids.every(isThere)).toBe(true)
  child.kill('SIGKILL')
  await until(() => !pids.some(isThere), { what: 'the end of all servers' })
})

test('a process that is done ends by itself, with all its servers', async () => {
  const child = startHolder()()
  const pids = await pidsOf(child)
  expect(await child.exited).toBe(0)
  await until(() => !pids.some(isThere), { what: 'the end of all servers' })
})
