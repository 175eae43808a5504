import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepSecret } from '@palanquin/embedded/file'
import { writeAtomically, writeDraft } from '@palanquin/files/durable'
import { keepCertificate } from '../certificate/keep.ts'
import { supervisorOf } from '../lifecycle/home-lock.ts'
import { MAIN_FILE } from '../project.ts'
import { type Home, homeAt } from '../run-state/home.ts'
import { readRunFile } from '../run-state/run-file.ts'
import { openSecrets } from '../settings/secrets.ts'
import { readAddresses } from '../units/service-process.ts'
import { removeUnreadable } from './state-files.ts'

const NOW = new Date('2026-05-01T00:00:00Z')
let home: Home
beforeEach(async () => {
  home = homeAt(mkdtempSync(join(tmpdir(), 'palanquin-recovery-')))
  openSecrets(home, {})
  await keepCertificate(home.certificates, NOW)
  for (const file of [
    home.runFile,
    home.supervisorFile,
    home.pidFile('tracking'),
    home.readyFile('tracking'),
  ])
    writeAtomically(file, '{"pid": 1}\n')
})
afterEach(() => rmSync(home.folder, { recursive: true, force: true }))

const everyFile = (): string[] =>
  readdirSync(home.folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home.folder, name))
    .filter((file) => statSync(file).isFile())

/** What a power cut leaves of an unsynced file: nothing, or zeros. */
const LEFT: Record<string, (bytes: number) => Buffer> = {
  nothing: () => Buffer.alloc(0),
  zeros: (bytes) => Buffer.alloc(bytes),
}
const spoil = (left: string, files: string[] = everyFile()) => {
  for (const file of files) writeFileSync(file, LEFT[left]?.(statSync(file).size) ?? '')
}

test('an intact home stays as it is, and nothing is reported', () => {
  const before = everyFile().map((file) => [file, readFileSync(file, 'utf8')])
  expect(removeUnreadable(home, {})).toEqual([])
  expect(everyFile().map((file) => [file, readFileSync(file, 'utf8')])).toEqual(before)
})

test.each(Object.keys(LEFT))('where a power cut left %s of every file, each is made again', async (left) => {
  spoil(left)
  const sentences = removeUnreadable(home, {}).join('\n')
  for (const word of ['run.json', 'tracking.pid', 'internal-token', 'certificate'])
    expect(sentences).toContain(word)
  expect(sentences).toContain('the owner token is ANOTHER one')
  expect(sentences).toContain('every participant on the public map gets ANOTHER pseudonym')
  const { tokens, internalToken, pseudonymSecret } = openSecrets(home, {})
  for (const secret of [tokens.owner, tokens.manager, tokens.volunteer, internalToken, pseudonymSecret])
    expect(secret).toMatch(/^[0-9a-f]{48}$/)
  expect(readFileSync(home.tokensFile, 'utf8')).toContain(tokens.owner)
  const certificate = await keepCertificate(home.certificates, NOW)
  expect(readFileSync(certificate.keyFile, 'utf8')).toContain('PRIVATE KEY')
  expect(removeUnreadable(home, {})).toEqual([])
})

test('a key of zeros beside an intact certificate is replaced', async () => {
  const before = readFileSync(join(home.certificates, 'ca.pem'), 'utf8')
  spoil('zeros', [join(home.certificates, 'key.pem')])
  expect(removeUnreadable(home, {})).toHaveLength(1)
  await keepCertificate(home.certificates, NOW)
  expect(readFileSync(join(home.certificates, 'ca.pem'), 'utf8')).not.toBe(before)
})

test('a token from the settings is not reported: its file is not used', () => {
  spoil('zeros', [home.secret('owner-token')])
  expect(removeUnreadable(home, { EVENT_ADMIN_TOKEN: 'a-token-of-their-own' })).toEqual([])
})

test('unfinished drafts are removed', () => {
  const drafts = [home.runFile, home.secret('owner-token')].map((file) => writeDraft(file, 'half'))
  expect(removeUnreadable(home, {})).toEqual([])
  expect(drafts.filter((draft) => existsSync(draft))).toEqual([])
})

test.each(Object.keys(LEFT))('status says that nothing runs where %s is left', (left) => {
  spoil(left)
  expect(readRunFile(home)).toBeUndefined()
  expect(supervisorOf(home)).toBeUndefined()
  expect(readAddresses(home.readyFile('tracking'))).toBeUndefined()
  expect(() => keepSecret(home.secret('owner-token'))).toThrow('remove it')
})

test.each(['status', 'down', 'logs', 'backup', 'restart', 'dead-letters'])(
  '%s answers in sentences about a home full of zeros',
  async (command) => {
    writeAtomically(home.logFile('tracking'), 'whole\n\0\0\0\n')
    spoil(
      'zeros',
      everyFile().filter((file) => !file.endsWith('.log')),
    )
    const more = command === 'backup' ? [join(home.folder, 'saved')] : []
    const child = Bun.spawn([process.execPath, MAIN_FILE, command, ...more, '--home', home.folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = (await child.stdout.text()) + (await child.stderr.text())
    expect(said).not.toMatch(/SyntaxError|^\s+at /m)
    expect(said).toMatch(command === 'logs' ? /^whole$/m : /Nothing runs/)
    expect([0, 3]).toContain(await child.exited)
  },
)
