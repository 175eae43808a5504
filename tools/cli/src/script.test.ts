import { afterAll, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

const root = mkdtempSync(join(tmpdir(), 'palanquin script '))
afterAll(() => rmSync(root, { recursive: true }))

/** The programs that the script needs; neither Bun nor npm nor curl are among them. */
const TOOLS = [
  'sh',
  'cat',
  'cksum',
  'chmod',
  'date',
  'dirname',
  'grep',
  'head',
  'ldd',
  'ln',
  'mkdir',
  'mv',
  'readlink',
  'rm',
  'sed',
  'sleep',
  'uname',
  'cp',
  'bash',
]

/** Pretends to be Bun and prints its arguments. */
const FAKE_BUN = `#!/bin/sh
case $1 in
  --version) echo 9.9.9 ;;
  install) echo installed >>"$HOME/calls"; mkdir -p "$4/node_modules" ;;
  *) shift 2; echo "main: $*" ;;
esac
`
const FAKE_NPM = `#!/bin/sh
echo npm >>"$HOME/calls"
while [ "$1" != --prefix ]; do shift; done
sleep 0.3
folder=$2/node_modules/$(echo "$3" | sed 's/@9.9.9$//')/bin
mkdir -p "$folder"
cp "$HOME/bun" "$folder/bun"
`
/** Stands in for the official installer. */
const FAKE_CURL = `#!/bin/sh
echo curl >>"$HOME/calls"
while [ "$1" != -o ]; do shift; done
printf 'mkdir -p "$BUN_INSTALL/bin"; cp "%s/bun" "$BUN_INSTALL/bin/bun"' "$HOME" >"$2"
`
const FAILING = `#!/bin/sh
echo "error: connect to https://registry.example/ failed" >&2
exit 1
`

/** A project with nothing but the launcher, on a machine with only the given programs. */
function machine(name: string, programs: Record<string, string>) {
  const project = join(root, name, 'a project')
  const home = join(root, name, 'home')
  const bin = join(root, name, 'bin')
  for (const folder of [join(project, 'tools/cli/src'), home, bin]) mkdirSync(folder, { recursive: true })
  copyFileSync(join(PROJECT_ROOT, 'palanquin'), join(project, 'palanquin'))
  writeFileSync(join(project, 'package.json'), '{\n  "packageManager": "bun@9.9.9"\n}\n')
  writeFileSync(join(project, 'bun.lock'), '{}')
  writeFileSync(join(project, 'tools/cli/src/usage.txt'), 'how to use it\n')
  const program = (file: string, text: string) => {
    writeFileSync(file, text)
    chmodSync(file, 0o755)
  }
  program(join(home, 'bun'), FAKE_BUN)
  program(join(bin, 'sync'), '#!/bin/sh\n') // a test does not sync the whole machine's disks
  for (const [file, text] of Object.entries(programs)) program(join(bin, file), text)
  for (const tool of TOOLS) {
    const found = Bun.which(tool)
    if (found && !programs[tool]) program(join(bin, tool), `#!${Bun.which('sh')}\nexec ${found} "$@"\n`)
  }
  return {
    project,
    calls: () =>
      existsSync(join(home, 'calls')) ? readFileSync(join(home, 'calls'), 'utf8').trim().split('\n') : [],
    run: async (...args: string[]) => {
      const child = Bun.spawn([join(project, 'palanquin'), ...args], {
        cwd: '/',
        env: { PATH: bin, HOME: home },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const [out, problems, code] = await Promise.all([
        child.stdout.text(),
        child.stderr.text(),
        child.exited,
      ])
      return { code, out: out.trim(), problems }
    },
  }
}

test('a Bun of the pinned version on the PATH is used, and packages are installed once', async () => {
  const { run, calls } = machine('has bun', { bun: FAKE_BUN })
  expect(await run('up', '--home', 'a b')).toMatchObject({
    code: 0,
    out: expect.stringContaining('up --home a b'),
  })
  expect((await run('status')).problems).toBe('')
  expect(calls()).toEqual(['installed'])
})

test('a Bun of another version is not: the pinned one is fetched with npm into the project', async () => {
  const { project, run, calls } = machine('other bun', { bun: '#!/bin/sh\necho 1.0.0\n', npm: FAKE_NPM })
  const { code, out, problems } = await run('status')
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('status') })
  expect(problems).toMatch(/Fetching Bun 9\.9\.9 with npm … done in \d+ s/)
  expect(calls()).toEqual(['npm', 'installed'])
  expect(
    readdirSync(join(project, '.palanquin/toolchain')).filter((name) => name.startsWith('bun-9.9.9-')),
  ).toHaveLength(1)
})

test('two launchers at once fetch once and install once', async () => {
  const { run, calls } = machine('two at once', { npm: FAKE_NPM })
  const outcomes = await Promise.all([run('status'), run('status'), run('status')])
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(calls()).toEqual(['npm', 'installed'])
})

test('without npm, Bun is fetched by its own installer', async () => {
  const { run, calls } = machine('only curl', { curl: FAKE_CURL })
  expect((await run('status')).code).toBe(0)
  expect(calls()).toEqual(['curl', 'installed'])
})

test('without any way to fetch Bun, one sentence says what to install, without naming a registry', async () => {
  const nothing = await machine('nothing', {}).run('status')
  expect(nothing).toEqual({
    code: 1,
    out: '',
    problems: expect.stringMatching(/^Bun 9\.9\.9 is needed .*\n$/),
  })
  const { code, problems } = await machine('broken npm', { npm: FAILING }).run('status')
  expect(code).toBe(1)
  expect(problems).toContain('Bun 9.9.9 is needed')
  expect(problems).not.toContain('registry.example')
})

test('the lock of a killed launcher does not block the next one', async () => {
  const { project, run } = machine('stale lock', { npm: FAKE_NPM })
  const gone = Bun.spawnSync(['sh', '-c', 'echo $$']).stdout.toString().trim()
  mkdirSync(join(project, '.palanquin/toolchain'), { recursive: true })
  Bun.spawnSync(['ln', '-s', gone, join(project, '.palanquin/toolchain/lock')])
  expect((await run('status')).code).toBe(0)
})

test('help needs no toolchain', async () => {
  expect(await machine('help', {}).run('help')).toEqual({ code: 0, out: 'how to use it', problems: '' })
  expect((await machine('no word', {}).run()).out).toBe('how to use it')
})

test('--version prints the version and needs no toolchain', async () => {
  const { project, run } = machine('version', {})
  writeFileSync(
    join(project, 'package.json'),
    '{\n  "version": "1.2.3",\n  "packageManager": "bun@9.9.9"\n}\n',
  )
  for (const word of ['--version', 'version', '-V'])
    expect(await run(word)).toEqual({ code: 0, out: 'Palanquin 1.2.3', problems: '' })
})

test('packages are installed again when the lockfile changed', async () => {
  const { project, run, calls } = machine('new lockfile', { bun: FAKE_BUN })
  await run('status')
  writeFileSync(join(project, 'bun.lock'), '{"changed": true}')
  await run('status')
  expect(calls()).toEqual(['installed', 'installed'])
})
