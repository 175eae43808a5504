import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureChromium } from './chromium.ts'

let folder: string
let file: string
const lines: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palanquin-chromium-'))
  file = join(folder, 'chromium')
  lines.length = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

/** An apt-get that writes down what it was called with, and does `install` when it is to install. */
function aptGet(install: string): void {
  const script = `#!/bin/sh\necho "$@" >>'${folder}/calls'\ncase $1 in install) ${install} ;; esac\n`
  writeFileSync(join(folder, 'apt-get'), script)
  chmodSync(join(folder, 'apt-get'), 0o755)
}
const ensure = (options: { isRoot?: boolean; environment?: Record<string, string> } = {}) =>
  ensureChromium({
    signal: new AbortController().signal,
    log: (line) => lines.push(line),
    file,
    isRoot: true,
    environment: { PATH: `${folder}:/usr/bin:/bin` },
    ...options,
  })
const calls = () => (existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8') : '')

test('root installs it with apt-get', async () => {
  aptGet(`echo chromium >'${file}'`)
  await ensure()
  expect(calls()).toMatch(/^update\ninstall --yes --no-install-recommends chromium /)
  expect(lines).toEqual(['Installing Chromium with apt-get, for the tests in a browser …'])
})

test('one that is there, or is named, is taken as it is', async () => {
  aptGet('exit 1')
  await ensure({ environment: { PATH: folder, CHROMIUM: '/opt/chromium' } })
  writeFileSync(file, '')
  await ensure()
  expect(calls()).toBe('')
  expect(lines).toEqual([])
})

test('who cannot install it reads why the tests are skipped', async () => {
  aptGet("echo 'E: Unable to locate package chromium' >&2; exit 100")
  await ensure({ isRoot: false })
  expect(calls()).toBe('')
  await ensure({ environment: { PATH: '' } })
  await ensure()
  const skips = lines.filter((line) => line.startsWith('The tests in a browser are skipped'))
  expect(skips).toEqual([
    expect.stringContaining('only root can install it'),
    expect.stringContaining('no Debian or Ubuntu'),
    expect.stringContaining('(Unable to locate package chromium)'),
  ])
})
