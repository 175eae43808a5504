import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRedis } from './binary.ts'
import { packageManagerAtWork } from './package-lock.ts'

// Programs start on a busy machine.
setDefaultTimeout(600_000)

/** A file system with file numbers of its own, unlike those of containers. */
const SHARED_MEMORY = '/dev/shm'
const folder = () =>
  mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'palanquin-packages-'))

/** Locks a file like apt and dpkg, by fcntl(2); reports it, and keeps it until its input ends. */
const HOLD = `use Fcntl; open(my $f, '>>', $ARGV[0]) or die; my $l = pack('s s l! l! i', F_WRLCK, 0, 0, 0, 0);
fcntl($f, F_SETLK, $l) or die; $| = 1; print "held\\n"; <STDIN>;`
const perl = Bun.which('perl')
const skipped = process.platform !== 'linux' || !perl

/** A machine whose apt is unpacking the library that Redis needs: apt's plan then fails. */
const APT_GET = `#!/bin/sh
case "$*" in
  *-s*install*) [ -e "$STATE/done" ] || { echo 'E: Unmet dependencies.' >&2; exit 100; }; echo 'Inst liblzf1 (3.6)' ;;
  *download*) for name in "$@"; do case $name in redis-*|liblzf1) : >"$name.deb" ;; esac; done ;;
esac`
const DPKG = `#!/bin/sh
case $2 in
  *redis-tools.deb) mkdir -p "$3/usr/bin"; cp "$STATE/redis-server" "$3/usr/bin/redis-server" ;;
  *liblzf1.deb) mkdir -p "$3/usr/lib"; : >"$3/usr/lib/liblzf1" ;;
esac`
const REDIS = `#!/bin/sh
[ -e "$(dirname "$0")/../lib/liblzf1" ] || { echo 'redis-server: error while loading shared libraries: liblzf.so.1' >&2; exit 127; }
echo 'Redis server v=7.0.15 sha=0'`

let state: string
const { PATH } = process.env
beforeEach(() => {
  state = folder()
  const bin = join(state, 'bin')
  mkdirSync(bin)
  for (const [file, text] of [
    ['bin/apt-get', APT_GET],
    ['bin/dpkg', DPKG],
    ['redis-server', REDIS],
  ] as const) {
    writeFileSync(join(state, file), text)
    chmodSync(join(state, file), 0o755)
  }
  const tools = (PATH ?? '').split(':').filter((one) => !existsSync(join(one, 'redis-server')))
  process.env.PATH = [bin, ...tools].join(':')
  process.env.STATE = state
})
afterEach(() => {
  process.env.PATH = PATH
  delete process.env.STATE
  rmSync(state, { recursive: true })
})

/** Another apt at work. */
async function anotherApt() {
  const child = Bun.spawn([perl ?? '', '-e', HOLD, join(state, 'lock-frontend')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for await (const bytes of child.stdout) if (new TextDecoder().decode(bytes).includes('held')) break
  return {
    pid: child.pid,
    end: async () => {
      await child.stdin.end()
      await child.exited
    },
  }
}

test.skipIf(skipped)('any user can see who holds the lock of dpkg', async () => {
  const apt = await anotherApt()
  expect(packageManagerAtWork(state)).toMatch(new RegExp(`^perl .*\\(process ${apt.pid}\\)$`))
  await apt.end()
  expect(packageManagerAtWork(state) ?? '').not.toContain(`process ${apt.pid})`)
})

test.skipIf(skipped)(
  'a Redis that cannot be fetched while another apt is at work is fetched afterwards',
  async () => {
    const apt = await anotherApt()
    const details: string[] = []
    const found = await findRedis(join(state, 'toolchain'), {
      packages: { folder: state, waitMsMax: 60_000 },
      onProgress: (detail) => {
        details.push(detail)
        if (!detail.startsWith('waiting for')) return
        writeFileSync(join(state, 'done'), '')
        void apt.end()
      },
    })
    expect(found.path).toBe(join(state, 'toolchain', `redis-linux-${process.arch}`, 'usr/bin/redis-server'))
    expect(details).toContainEqual(
      expect.stringMatching(
        new RegExp(`^waiting for perl .*\\(process ${apt.pid}\\), which is changing the packages`),
      ),
    )
  },
)

test.skipIf(skipped)(
  'the wait is limited; then the sentence names that program, and what Redis lacked',
  async () => {
    const apt = await anotherApt()
    const work = findRedis(join(state, 'toolchain'), {
      packages: { folder: state, waitMsMax: 100 },
      onProgress: () => {},
    })
    await expect(work).rejects.toThrow(
      new RegExp(`liblzf\\.so\\.1.*\\(process ${apt.pid}\\) is still changing the packages of this machine`),
    )
    await apt.end()
  },
)
