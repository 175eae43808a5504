import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

type Digest = (body: Uint8Array) => Buffer

const DIGESTS: Record<string, Digest> = {
  'content-md5': (body) => createHash('md5').update(body).digest(),
  'x-amz-checksum-crc32': (body) => bigEndian(crc32(body)),
  'x-amz-checksum-crc32c': (body) => bigEndian(crc32c(body)),
  'x-amz-checksum-crc64nvme': crc64nvme,
  'x-amz-checksum-sha1': (body) => createHash('sha1').update(body).digest(),
  'x-amz-checksum-sha256': (body) => createHash('sha256').update(body).digest(),
}

/** Names of the fields that this server can check a body against. */
export const CHECKSUM_FIELDS: readonly string[] = Object.keys(DIGESTS)

/** Whether `expected` (base64) is that checksum of the body; `name` is one of CHECKSUM_FIELDS. */
export function isChecksum(name: string, expected: string, body: Uint8Array): boolean {
  return DIGESTS[name]?.(body).toString('base64') === expected
}

// RFC 3720, appendix B.4; the polynomial is written with its bits reversed, as the data's are
const CRC32C = table(0x82f63b78)

function crc32c(body: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of body) crc = (CRC32C[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return ~crc >>> 0
}

function table(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0)
    return crc
  })
}

// The CRC-64 of the NVMe command set specification, as two halves: BigInt is thirty times slower
const HIGH = new Uint32Array(256)
const LOW = new Uint32Array(256)
for (let byte = 0; byte < 256; byte++) {
  let crc = BigInt(byte)
  for (let bit = 0; bit < 8; bit++) crc = (crc >> 1n) ^ (crc & 1n ? 0x9a6c9329ac4bc9b5n : 0n)
  HIGH[byte] = Number(crc >> 32n)
  LOW[byte] = Number(crc & 0xffffffffn)
}

function crc64nvme(body: Uint8Array): Buffer {
  let high = 0xffffffff
  let low = 0xffffffff
  for (const byte of body) {
    const index = (low ^ byte) & 0xff
    low = ((low >>> 8) | (high << 24)) ^ (LOW[index] ?? 0)
    high = (high >>> 8) ^ (HIGH[index] ?? 0)
  }
  return Buffer.concat([bigEndian(~high >>> 0), bigEndian(~low >>> 0)])
}

function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
