import { createHash } from 'node:crypto'

/** Any constant: the namespace of this project's retry keys (RFC 9562, version 5). */
const NAMESPACE = Buffer.from('5d0f4f0e9c0b4b1a8f1f6f6e0c7b2a51', 'hex')

/** A UUID that every process computes for a piece of work, so that LINE takes it once within 24 hours. */
export function retryKeyOf(work: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(work).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
