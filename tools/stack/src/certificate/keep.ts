import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { makeFolder, writeAtomically } from '@palanquin/files/durable'
import { readIfThere } from '@palanquin/files/read'
import { makeCertificate } from './certificate.ts'

/** Renewed at a start that finds less left: longer than the nine days of the event without a restart. */
const RENEW_BEFORE_MS = 30 * 86_400_000

export type KeptCertificate = { caFile: string; certFile: string; keyFile: string }

/** The three files of a certificate in its folder. */
export const certificateFiles = (folder: string): KeptCertificate => ({
  caFile: join(folder, 'ca.pem'),
  certFile: join(folder, 'cert.pem'),
  keyFile: join(folder, 'key.pem'),
})

/** The certificate of a home: made at its first start, kept, and renewed before it expires. */
export async function keepCertificate(folder: string, now: Date): Promise<KeptCertificate> {
  const files = certificateFiles(folder)
  if (!isUsable(files, now)) {
    makeFolder(folder, 0o700)
    const made = await makeCertificate(now)
    writeAtomically(files.keyFile, made.keyPem)
    writeAtomically(files.certFile, made.certPem)
    writeAtomically(files.caFile, made.caPem) // last: its presence means that all three are written
  }
  return files
}

/** Whether the three files exist, belong together and are valid for long enough. */
function isUsable({ caFile, certFile, keyFile }: KeptCertificate, now: Date): boolean {
  const [caPem, certPem, keyPem] = [caFile, certFile, keyFile].map(readIfThere)
  if (!caPem || !certPem || !keyPem) return false
  const certificate = wholeCertificate({ caPem, certPem, keyPem })
  return certificate !== undefined && Date.parse(certificate.validTo) - now.getTime() > RENEW_BEFORE_MS
}

/**
 * The certificate, if the authority signed it and the key matches; undefined also when a file is unreadable.
 */
export function wholeCertificate(pem: {
  caPem: string
  certPem: string
  keyPem: string
}): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pem.certPem)
    const isSigned = certificate.verify(new X509Certificate(pem.caPem).publicKey)
    return isSigned && certificate.checkPrivateKey(createPrivateKey(pem.keyPem)) ? certificate : undefined
  } catch {
    return undefined // no PEM: a power cut leaves zeros
  }
}
