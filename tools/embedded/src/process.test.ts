import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runScript, throwawayFolder, until } from '../test/throwaway.ts'
import { adopt, identify, isAlive, type ProcessRecord, spawnServer, stop } from './process.ts'
import { readByPs } from './process-table.ts'

const SOON = { signal: 'SIGTERM', graceMs: 60_000 } as const
let folder: ReturnType<typeof throwawayFolder>
const started: ProcessRecord[] = []

beforeAll(() => {
  folder = throwawayFolder()
})
afterAll(async () => {
  await Promise.all(started.map((record) => stop(record, { signal: 'SIGKILL', graceMs: 0 })))
  await folder.remove()
})

let count = 0
/** A process that waits after its shell ran `script`. The number makes its command line unique. */
function startSleeper({ script = ':', uid }: { script?: string; uid?: number } = {}) {
  const marker = `sleeper ${folder.path}.${++count}`
  const pidFile = join(folder.path, `${count}.pid`)
  const command = ['/bin/sh', '-c', `${script}; while :; do sleep 0.05; done`, ...marker.split(' ')]
  const launch = {
    command,
    uid,
    gid: uid,
    marker,
    port: 1,
    fingerprint: 'same',
    pidFile,
    logFile: join(folder.path, 'log'),
  }
  const record = spawnServer(launch)
  started.push(record)
  return { record, pidFile, marker }
}

describe('a server of a launcher that is gone', () => {
  test('is found by its pid file, with its port and fingerprint', () => {
    const { record, pidFile, marker } = startSleeper()
    expect(adopt(pidFile, marker)).toEqual(record)
  })

  test('is found by its command line when the launcher died before it could record the pid', async () => {
    const { record, pidFile, marker } = startSleeper()
    await until(() => identify(record.pid)?.command.includes(marker) ?? false)
    for (const spoil of [
      () => rmSync(pidFile),
      () => writeFileSync(pidFile, ''),
      () => writeFileSync(pidFile, '{"pid": 1'),
    ]) {
      spoil()
      expect(adopt(pidFile, marker)).toMatchObject({ pid: record.pid, startedAt: record.startedAt })
    }
  })

  test('outlives the kill -9 of its launcher, and the closing of its terminal', async () => {
    const marker = `sleeper ${folder.path}.orphan`
    const pidFile = join(folder.path, 'orphan.pid')
    const launch = {
      command: ['/bin/sh', '-c', 'while :; do sleep 0.05; done', ...marker.split(' ')],
      marker,
      port: 1,
      fingerprint: '',
      pidFile,
      logFile: join(folder.path, 'log'),
    }
    const launcher = runScript(
      `import { spawnServer } from '../src/process.ts'; console.log(spawnServer(${JSON.stringify(launch)}).pid); setInterval(() => {}, 1000)`,
    )
    const pid = Number(await launcher.line())
    const session = Bun.spawnSync(['ps', '-o', 'sess=', '-p', `${pid}`]).stdout.toString()
    if (process.platform === 'linux') expect(Number(session)).toBe(pid)
    await launcher.kill()
    const found = adopt(pidFile, marker)
    if (found) started.push(found)
    expect(found?.pid).toBe(pid)
  })
})

describe('a pid that is another process by now', () => {
  test('is neither adopted nor signalled', async () => {
    const { record, pidFile } = startSleeper()
    const earlier = { ...record, startedAt: 'another boot/1' }
    writeFileSync(pidFile, JSON.stringify({ ...earlier, marker: 'an unused marker' }))
    expect(adopt(pidFile, 'an unused marker')).toBeUndefined()
    await stop(earlier, SOON)
    await stop({ ...record, marker: 'another command' }, SOON)
    expect(identify(record.pid)).toMatchObject({
      startedAt: record.startedAt,
      command: expect.stringContaining(`${record.marker} `),
    })
    expect(isAlive(record)).toBe(true)
  })
})

test.skipIf(process.platform !== 'linux')(
  'ps, which macOS has instead of /proc, reports the same about a process',
  async () => {
    const { record, marker } = startSleeper()
    await until(() => identify(record.pid)?.command.includes(marker) ?? false)
    const [found] = readByPs(['-p', `${record.pid}`])
    expect(found).toEqual({
      pid: record.pid,
      command: identify(record.pid)?.command ?? '',
      startedAt: expect.stringMatching(/^\w{3} \w{3} +\d+ [\d:]{8} \d{4}$/),
    })
    expect(readByPs(['-ax']).map(({ pid }) => pid)).toContain(record.pid)
    await stop(record, SOON)
    expect(readByPs(['-p', `${record.pid}`])).toEqual([])
  },
)

describe('the end of a server', () => {
  test('is awaited, of a child and of an adopted process', async () => {
    const { record, pidFile, marker } = startSleeper()
    await stop(adopt(pidFile, marker) ?? record, SOON)
    expect(isAlive(record)).toBe(false)
    expect(identify(record.pid)).toBeUndefined()
  })

  test('comes by SIGKILL when the signal is ignored for longer than the grace period', async () => {
    const { record } = startSleeper({ script: `trap '' TERM; touch ${join(folder.path, 'deaf')}` })
    await until(() => Bun.file(join(folder.path, 'deaf')).exists())
    await stop(record, { signal: 'SIGTERM', graceMs: 100 })
    expect(isAlive(record)).toBe(false)
  })

  test('comes by the signal also when the process was suspended', async () => {
    const said = join(folder.path, 'said')
    const { record } = startSleeper({ script: `trap 'echo bye > ${said}; exit' TERM; touch ${said}` })
    await until(() => Bun.file(said).exists())
    process.kill(record.pid, 'SIGSTOP')
    await stop(record, SOON)
    expect(readFileSync(said, 'utf8')).toBe('bye\n')
  })

  test('is noticed although its zombie was not reaped', async () => {
    const parent = Bun.spawn(['/bin/sh', '-c', 'sh -c "exit 0" & echo $!; exec sleep 60'], { stdout: 'pipe' })
    const { value } = await parent.stdout.getReader().read()
    await until(() => identify(Number(new TextDecoder().decode(value))) === undefined)
    parent.kill()
    expect(await parent.exited).not.toBe(0)
  })
})

test.skipIf(process.getuid?.() !== 0)(
  'a server can run as another user, and writes to a log that only root can open',
  async () => {
    const { record } = startSleeper({ script: 'id -u', uid: 65534 })
    const log = join(folder.path, 'log')
    await until(() => readFileSync(log, 'utf8').includes('65534\n'))
    expect(isAlive(record)).toBe(true)
  },
)
