import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identify } from '@palanquin/embedded/process'
import { openApi } from '@palanquin/stack/api'
import { supervisorOf } from '@palanquin/stack/lifecycle/home-lock'
import { takeDown } from '@palanquin/stack/lifecycle/take-down'
import { MAIN_FILE, PROJECT_ROOT } from '@palanquin/stack/project'
import { homeAt } from '@palanquin/stack/run-state/home'
import { readRunFile } from '@palanquin/stack/run-state/run-file'
import { noSettings } from '@palanquin/stack/settings/settings'
import { until } from '@palanquin/testing/until'
import { kill } from './kill.ts'

/** Far longer than a Unix socket's path may be, with a space in it. */
const LONG_NAME = `a long folder ${'x'.repeat(120)}`

const root = mkdtempSync(join(process.env.TEST_JOURNEYS_DIR ?? tmpdir(), 'palanquin-launcher-'))
const home = homeAt(join(root, LONG_NAME))
afterAll(async () => {
  await takeDown(home)
  rmSync(root, { recursive: true })
})

const started = (...args: string[]) =>
  Bun.spawn([process.execPath, '--no-env-file', MAIN_FILE, ...args, '--home', home.folder], {
    env: { ...process.env, ...noSettings(PROJECT_ROOT), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

async function runLauncher(...args: string[]): Promise<{ code: number; out: string }> {
  const child = started(...args)
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out: out + problems }
}

/** Every process of this home: its folder is on the command line. */
const pids = () => Object.values(readRunFile(home)?.services ?? {}).map(({ pid }) => pid)
const running = () => {
  const run = readRunFile(home)
  if (!run) throw new Error('nothing runs')
  return run
}
function killSupervisor(): void {
  const supervisor = supervisorOf(home)
  if (!supervisor) throw new Error('there is no supervisor')
  process.kill(supervisor.pid, 'SIGKILL')
}
const alive = (all: readonly number[]) => all.filter((pid) => identify(pid)?.command.includes(home.folder))

test('an unknown flag, command or value gives one sentence and exit 2', async () => {
  for (const args of [
    ['up', '--prot', '1'],
    ['up', 'now'],
    ['up', '--port', '70000'],
    ['fly'],
    ['demo', '--speed', 'fast'],
  ]) {
    const { code, out } = await runLauncher(...args)
    expect({ args, code, lines: out.trim().split('\n').length }).toEqual({ args, code: 2, lines: 1 })
  }
})

test('a taken port is reported, and nothing is left running', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await until(() => taken.listening, { what: 'a taken port' })
  const address = taken.address()
  const port = typeof address === 'object' ? address?.port : 0
  const { code, out } = await runLauncher('up', '--detach', '--port', `${port}`)
  taken.close()
  expect(code).toBe(1)
  expect(out).toContain(`Port ${port} is taken`)
  expect(supervisorOf(home)).toBeUndefined()
  expect((await runLauncher('status')).code).toBe(3)
})

test('a service that does not start is reported with its own error, and nothing is left running', async () => {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', MAIN_FILE, 'up', '--detach', '--port', '0', '--home', home.folder],
    {
      env: { ...process.env, ...noSettings(PROJECT_ROOT), GPS_DRIFT_GUARD: 'perhaps' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [problems, code] = await Promise.all([child.stderr.text(), child.exited])
  expect(code).toBe(1)
  expect(problems).toContain('GPS_DRIFT_GUARD')
  expect((await runLauncher('status')).code).toBe(3)
})

test('up --detach returns when /ready is 200, in a folder of any length; its files are private', async () => {
  const { code, out } = await runLauncher('up', '--detach', '--port', '0')
  expect({ code, out }).toMatchObject({ code: 0 })
  const run = readRunFile(home)
  expect(run?.url).toMatch(/^https:\/\/localhost:\d+$/)
  expect(out).toContain(`${run?.url}`)
  expect(Object.keys(run?.services ?? {}).sort()).toEqual([
    'engagement',
    'gateway',
    'line-bot',
    'map',
    'media',
    'tracking',
  ])
  for (const token of Object.values(run?.tokens ?? {})) expect(token.length).toBeGreaterThanOrEqual(32)
  for (const file of [home.runFile, home.tokensFile, home.supervisorFile])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  expect((await runLauncher('status')).code).toBe(0)
})

test('a second up reports that it runs already, and where', async () => {
  const { code, out } = await runLauncher('up')
  expect(code).toBe(0)
  expect(out).toContain(`Already running`)
  expect(out).toContain(readRunFile(home)?.url ?? 'no url')
})

test.each(['gateway', 'engagement'])('%s is restarted after kill -9, on the same address', async (name) => {
  const before = readRunFile(home)
  await kill({ running }, name)()
  const after = readRunFile(home)
  expect(after?.url).toBe(before?.url ?? '')
  if (after)
    await until(async () => (await openApi(after, {}).health()).status === 'ok', { what: 'health ok' })
})

test.each([{ command: 'up' }, { command: 'restart' }])(
  'after kill -9 of the supervisor, status says so, and $command takes over on the same port and keeps all data',
  async ({ command }) => {
    const before = running()
    const stores = readFileSync(home.pidFile('postgres'), 'utf8')
    killSupervisor()
    await until(() => !supervisorOf(home), { what: 'the end of the supervisor' })
    process.kill(before.services.engagement?.pid ?? 0, 'SIGKILL')
    const userId = `orphaned-${command}`
    expect((await openApi(before, {}).post('/checkin', { userId, lat: 24, lng: 120.6 })).status).toBe(202)
    const { code, out } = await runLauncher('status')
    expect(code).toBe(1)
    expect(out).toMatch(/The launcher that started this was killed: nothing here is restarted .* takes over/)
    const port = new URL(before.url).port
    const taken = await (command === 'up'
      ? runLauncher('up', '--detach', '--port', port)
      : runLauncher('restart'))
    expect([taken.code, taken.out]).toEqual([0, expect.any(String)])
    expect(readFileSync(home.pidFile('postgres'), 'utf8')).toBe(stores)
    const after = running()
    expect([after.url, after.tokens]).toEqual([before.url, before.tokens])
    expect(alive(Object.values(before.services).map(({ pid }) => pid))).toEqual([])
    await until(
      async () =>
        JSON.stringify((await openApi(after, {}).get(`/user/${userId}`)).body).includes('"checkins":1'),
      { what: 'the check-in of the time without a launcher' },
    )
  },
)

test('logs prints the lines of one service', async () => {
  const { code, out } = await runLauncher('logs', 'tracking', '-n', '5')
  expect(code).toBe(0)
  expect(out).toContain('"service":"tracking"')
  expect((await runLauncher('logs', 'unknown')).code).toBe(2)
})

test('down stops everything, also after the supervisor was killed', async () => {
  const running = pids()
  expect(alive(running)).toHaveLength(6)
  killSupervisor()
  await until(() => !supervisorOf(home), { what: 'the end of the supervisor' })
  const { code, out } = await runLauncher('down')
  expect(code).toBe(0)
  expect(out).toContain('postgres')
  expect(alive(running)).toEqual([])
  expect(existsSync(home.runFile)).toBe(false)
})

test('in the foreground, Ctrl-C stops everything and exits 0', async () => {
  const child = started('up', '--port', '0')
  // run.json exists before everything is ready; a Ctrl-C until then exits 130.
  let said = ''
  for await (const bytes of child.stdout) {
    said += new TextDecoder().decode(bytes)
    if (said.includes('Palanquin runs at')) break
  }
  expect(supervisorOf(home)?.pid).toBe(child.pid)
  const running = pids()
  child.kill('SIGINT')
  expect(await child.exited).toBe(0)
  expect(alive(running)).toEqual([])
  expect((await runLauncher('status')).code).toBe(3)
})

test.each(['postgres', 'tracking', 'gateway'])(
  'up that is overtaken by down once there is %s says so in a sentence',
  async (name) => {
    rmSync(home.pidFile(name), { force: true }) // of the run before
    const up = started('up', '--detach', '--port', '0')
    const said = Promise.all([up.stdout.text(), up.stderr.text(), up.exited])
    await until(() => existsSync(home.pidFile(name)) || up.exitCode !== null, { what: `${name} is started` })
    expect((await runLauncher('down')).code).toBe(0)
    const [, problems, code] = await said
    expect([code, problems.trim()]).toEqual([
      130,
      'Stopped before everything was up; nothing is left running.',
    ])
  },
)
