import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  bitFlags,
  bits,
  bytes,
  type Der,
  identifier,
  integer,
  octets,
  sequence,
  set,
  tagged,
  text,
  time,
  truth,
} from './der.ts'

/** Names under which the gateway of this machine is called. */
const DNS_NAMES = ['localhost']
const IP_ADDRESSES = [
  [127, 0, 0, 1],
  [...Array<number>(15).fill(0), 1],
]
/** The longest that Apple's clients accept of a certificate that a user trusts. */
export const VALID_DAYS = 825
const DAY_MS = 86_400_000
/** Clocks of virtual machines are sometimes late. */
const BACKDATE_MS = DAY_MS
const SERIAL_BYTES = 16

const ECDSA_SHA256 = sequence(identifier('1.2.840.10045.4.3.2'))

export type CertificatePair = { caPem: string; certPem: string; keyPem: string; until: Date }

/**
 * A certificate for localhost on ECDSA P-256 (a handshake costs a quarter of RSA's), and the authority that
 * clients trust. The authority's key is dropped at once: it can never sign anything else.
 */
export function makeCertificate(now: Date): CertificatePair {
  const authority = keyPair()
  const server = keyPair()
  const issuer = name(`Palanquin local authority ${randomBytes(4).toString('hex')}`)
  const life = {
    from: new Date(now.getTime() - BACKDATE_MS),
    until: new Date(now.getTime() + VALID_DAYS * DAY_MS),
  }
  const signed = (subject: Der, key: KeyObject, extensions: Der[]): string =>
    pem(issue({ issuer, subject, key, extensions, ...life, signingKey: authority.privateKey }))
  return {
    caPem: signed(issuer, authority.publicKey, [
      extension('2.5.29.19', sequence(truth(), integer(bytes(0))), { critical: true }), // an authority, of leaves only
      extension('2.5.29.15', bitFlags(5, 6), { critical: true }), // signs certificates and revocation lists
      extension('2.5.29.14', octets(keyId(authority.publicKey))),
    ]),
    certPem: signed(name('localhost'), server.publicKey, [
      extension('2.5.29.19', sequence(), { critical: true }), // no authority
      extension('2.5.29.15', bitFlags(0), { critical: true }), // digital signature
      extension('2.5.29.37', sequence(identifier('1.3.6.1.5.5.7.3.1'))), // server authentication
      extension('2.5.29.17', sequence(...alternativeNames())),
      extension('2.5.29.14', octets(keyId(server.publicKey))),
      extension('2.5.29.35', sequence(tagged(0, keyId(authority.publicKey), { constructed: false }))),
    ]),
    keyPem: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    until: life.until,
  }
}

type Contents = {
  issuer: Der
  subject: Der
  key: KeyObject
  from: Date
  until: Date
  extensions: Der[]
  signingKey: KeyObject
}

/** RFC 5280, 4.1: the certificate proper, then its signature. */
function issue({ issuer, subject, key, from, until, extensions, signingKey }: Contents): Der {
  const version3 = tagged(0, integer(bytes(2)))
  const body = sequence(
    version3,
    integer(Uint8Array.from(randomBytes(SERIAL_BYTES))),
    ECDSA_SHA256,
    issuer,
    sequence(time(from), time(until)),
    subject,
    publicKeyInfo(key),
    tagged(3, sequence(...extensions)),
  )
  return sequence(body, ECDSA_SHA256, bits(Uint8Array.from(sign('sha256', body, signingKey))))
}

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

const publicKeyInfo = (key: KeyObject): Der => Uint8Array.from(key.export({ type: 'spki', format: 'der' }))

const keyId = (key: KeyObject): Der => Uint8Array.from(createHash('sha1').update(publicKeyInfo(key)).digest())

const name = (commonName: string): Der => sequence(set(sequence(identifier('2.5.4.3'), text(commonName))))

const extension = (dotted: string, value: Der, { critical = false } = {}): Der =>
  sequence(identifier(dotted), critical ? truth() : bytes(), octets(value))

const alternativeNames = (): Der[] => [
  ...DNS_NAMES.map((host) => tagged(2, new TextEncoder().encode(host), { constructed: false })),
  ...IP_ADDRESSES.map((address) => tagged(7, Uint8Array.from(address), { constructed: false })),
]

function pem(der: Der): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
