import { afterAll, beforeAll, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VALID_DAYS } from './certificate.ts'
import { type KeptCertificate, keepCertificate } from './keep.ts'

const DAY_MS = 86_400_000
const now = new Date()
let folder: string
let served: ReturnType<typeof Bun.serve>
let files: KeptCertificate

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palanquin-certificate-'))
  files = await keepCertificate(folder, now)
  served = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: readFileSync(files.certFile, 'utf8'), key: readFileSync(files.keyFile, 'utf8') },
    fetch: () => new Response('served'),
  })
})

afterAll(async () => {
  await served.stop(true)
  rmSync(folder, { recursive: true })
})

/** What a command printed; its exit code says whether it accepted the certificate. */
async function runs(command: string[]): Promise<{ code: number; out: string }> {
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out: out + problems }
}

const REQUEST = `
  const [, , ca, port, host] = process.argv
  require('node:https').get({ host, port, servername: 'localhost', ca: require('node:fs').readFileSync(ca) }, (answer) =>
    answer.on('data', (bytes) => console.log(String(bytes))).on('end', () => process.exit(0)))
    .on('error', (error) => { console.log(error.message); process.exit(1) })`

test('Bun accepts the certificate with the authority file, and refuses it without', async () => {
  const url = `https://127.0.0.1:${served.port}`
  const trusting = await fetch(url, { tls: { ca: readFileSync(files.caFile, 'utf8') } })
  expect(await trusting.text()).toBe('served')
  await expect(fetch(url)).rejects.toThrow()
})

test.skipIf(!Bun.which('node'))('Node accepts the certificate with the authority file', async () => {
  const script = join(folder, 'request.cjs')
  writeFileSync(script, REQUEST)
  expect(await runs(['node', script, files.caFile, `${served.port}`, '127.0.0.1'])).toEqual({
    code: 0,
    out: 'served\n',
  })
})

test.skipIf(!Bun.which('curl'))(
  'curl accepts the certificate with the authority file, by name and by address',
  async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const { code, out } = await runs([
        'curl',
        '-sS4',
        '--cacert',
        files.caFile,
        `https://${host}:${served.port}`,
      ])
      expect({ host, code, out }).toEqual({ host, code: 0, out: 'served' })
    }
  },
)

test('openssl finds nothing wrong with it under its strict rules, where openssl is there', async () => {
  const certificate = new X509Certificate(readFileSync(files.certFile))
  expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1')
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.ca).toBe(false)
  if (!Bun.which('openssl')) return
  const { out } = await runs([
    'openssl',
    'verify',
    '-x509_strict',
    '-purpose',
    'sslserver',
    '-CAfile',
    files.caFile,
    files.certFile,
  ])
  expect(out.trim()).toEndWith('OK')
})

test('the key is private, and a second start keeps all three files', async () => {
  const before = readFileSync(files.keyFile, 'utf8')
  expect(statSync(files.keyFile).mode & 0o777).toBe(0o600)
  await keepCertificate(folder, now)
  expect(readFileSync(files.keyFile, 'utf8')).toBe(before)
})

test('a certificate that expires within a month is renewed', async () => {
  const before = readFileSync(files.certFile, 'utf8')
  const late = new Date(now.getTime() + (VALID_DAYS - 29) * DAY_MS)
  await keepCertificate(folder, late)
  expect(readFileSync(files.certFile, 'utf8')).not.toBe(before)
})
