import { X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere, writeAtomically } from '@palanquin/embedded/file'
import { makeCertificate } from './certificate.ts'

/** Renewed at a start when it would run out within this time: longer than the nine days that nobody restarts. */
const RENEW_BEFORE_MS = 30 * 86_400_000

export type KeptCertificate = { caFile: string; certFile: string; keyFile: string }

/** The certificate of a home: made at its first start, kept, and made anew shortly before it runs out. */
export function keepCertificate(folder: string, now: Date): KeptCertificate {
  const files = {
    caFile: join(folder, 'ca.pem'),
    certFile: join(folder, 'cert.pem'),
    keyFile: join(folder, 'key.pem'),
  }
  if (!isUsable(files, now)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const made = makeCertificate(now)
    writeAtomically(files.keyFile, made.keyPem)
    writeAtomically(files.certFile, made.certPem)
    writeAtomically(files.caFile, made.caPem) // last: with it the three are whole
  }
  return files
}

/** Whether the three files are there, belong together and last. */
function isUsable({ caFile, certFile, keyFile }: KeptCertificate, now: Date): boolean {
  const [caPem, certPem, keyPem] = [caFile, certFile, keyFile].map(readIfThere)
  if (!caPem || !certPem || !keyPem) return false
  const [authority, certificate] = [new X509Certificate(caPem), new X509Certificate(certPem)]
  const lasts = Date.parse(certificate.validTo) - now.getTime() > RENEW_BEFORE_MS
  return lasts && certificate.verify(authority.publicKey)
}
