import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processesOf } from '@palanquin/chaos/faults/faults'
import { MAIN_FILE } from '@palanquin/stack/project'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'

/** A minute of this seed kills every process of the stack. */
const SEED = '431'
/** A busy machine recovers more slowly. */
const PATIENCE = ['--patience', '4']

async function chaos(...args: string[]): Promise<{ code: number; out: string }> {
  const home = mkdtempSync(join(process.env.TEST_JOURNEYS_DIR ?? tmpdir(), 'palanquin-chaos-'))
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', MAIN_FILE, 'chaos', '--home', home, ...PATIENCE, ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  rmSync(home, { recursive: true, force: true })
  return { code, out: out + problems }
}

const figure = (out: string, name: string): number =>
  Number(new RegExp(`^${name} +([\\d,]+)$`, 'm').exec(out)?.[1]?.replaceAll(',', ''))

test(
  'a minute of all faults: nothing is lost, nothing is doubled, and every effect happens once',
  async () => {
    const { code, out } = await chaos('--seed', SEED, '--minutes', '1', '--walkers', '60')
    expect({ code, out }).toMatchObject({ code: 0 })
    for (const name of processesOf(1)) expect(out).toContain(`kill -9 ${name}`)
    expect(figure(out, 'acknowledged')).toBeGreaterThan(1_000)
    expect(figure(out, 'faults injected')).toBeGreaterThan(30)
    // Nine users stay to the end, and each gets the summary.
    expect(figure(out, 'messages in the chat')).toBeGreaterThanOrEqual(9)
  },
  TEST_TIMEOUT_MS,
)

test(
  'the audit finds lost, doubled and invented writes, and wrong effects',
  async () => {
    const { code, out } = await chaos('--control', '--minutes', '0.1', '--walkers', '10')
    expect(code).toBe(1)
    expect(out).toContain('BROKEN')
    for (const name of ['lost', 'phantom', 'figures that are wrong', 'rollups that are wrong'])
      expect(figure(out, name)).toBeGreaterThan(0)
    expect(out).toContain('1 dead letters')
    expect(out).toContain('a message came twice')
  },
  TEST_TIMEOUT_MS,
)
