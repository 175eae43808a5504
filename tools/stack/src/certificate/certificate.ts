import 'reflect-metadata'
import { KeyObject, randomBytes } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** How the gateway of this machine is called. */
const NAMES = new SubjectAlternativeNameExtension([
  { type: 'dns', value: 'localhost' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
])
/** The longest that Apple's clients accept of a certificate that a user trusts. */
export const VALID_DAYS = 825
const DAY_MS = 86_400_000
/** Clocks of virtual machines are sometimes late. */
const BACKDATE_MS = DAY_MS
/** A handshake costs a quarter of RSA's. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export type CertificatePair = { caPem: string; certPem: string; keyPem: string }

/**
 * A certificate for localhost, and the authority that clients trust. The authority's key is dropped at once: it can
 * never sign anything else.
 */
export async function makeCertificate(now: Date): Promise<CertificatePair> {
  const [authority, server] = await Promise.all([newKeys(), newKeys()])
  const issuer = `CN=Palanquin local authority ${randomBytes(4).toString('hex')}`
  const signed = async (subject: string, publicKey: CryptoKey, extensions: Extension[]) => {
    const certificate = await X509CertificateGenerator.create({
      issuer,
      subject,
      publicKey,
      notBefore: new Date(now.getTime() - BACKDATE_MS),
      notAfter: new Date(now.getTime() + VALID_DAYS * DAY_MS),
      extensions: [...extensions, await SubjectKeyIdentifierExtension.create(publicKey)],
      signingKey: authority.privateKey,
      signingAlgorithm: ALGORITHM,
    })
    return `${certificate.toString('pem')}\n`
  }
  const caPem = await signed(issuer, authority.publicKey, [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ])
  const certPem = await signed('CN=localhost', server.publicKey, [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    NAMES,
    await AuthorityKeyIdentifierExtension.create(authority.publicKey),
  ])
  const keyPem = KeyObject.from(server.privateKey).export({ format: 'pem', type: 'pkcs8' }).toString()
  return { caPem, certPem, keyPem }
}

const newKeys = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
