import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { KEEP_MEMORY, runtimeMemory } from './runtime-memory.ts'
import { environmentFor } from './service-variables.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

test('this runtime knows what it is told about memory', async () => {
  const told = Bun.spawn([process.execPath, '--no-env-file', '-e', '0'], {
    env: { ...KEEP_MEMORY, MIMALLOC_VERBOSE: '1', BUN_JSC_dumpOptions: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, error] = await Promise.all([told.stdout.text(), told.stderr.text()])
  expect(await told.exited).toBe(0)
  expect(error + out).toContain(
    `option 'purge_holes_min_interval': ${KEEP_MEMORY.MIMALLOC_PURGE_HOLES_MIN_INTERVAL}`,
  )
  expect(error + out).toContain('useWarmUpMarkedBlocks=false (default: true)')
})

test.each(['gateway', 'tracking', 'map', 'engagement', 'media', 'line-bot'] as const)(
  'the process of %s gets all of it',
  (process) => {
    const all = runtimeMemory(process)
    expect(environmentFor([], all)).toEqual({ ...all, ...KEEP_MEMORY })
  },
)
