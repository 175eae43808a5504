import { expect, test } from 'bun:test'
import { CHECKSUM_FIELDS, isChecksum } from './checksum.ts'

const CHECK_TEXT = Buffer.from('123456789') // on which every CRC catalogue gives its check value

const KNOWN: Record<string, string> = {
  'content-md5': '25f9e794323b453885f5181f1b624d0b',
  'x-amz-checksum-crc32': 'cbf43926',
  'x-amz-checksum-crc32c': 'e3069283',
  'x-amz-checksum-crc64nvme': 'ae8b14860a799888',
  'x-amz-checksum-sha1': 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
  'x-amz-checksum-sha256': '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
}

test.each([...CHECKSUM_FIELDS])('%s has the published value for 123456789', (name) => {
  const known = Buffer.from(KNOWN[name] ?? '', 'hex').toString('base64')
  expect(isChecksum(name, known, CHECK_TEXT)).toBe(true)
  expect(isChecksum(name, known, Buffer.from('123456788'))).toBe(false)
})
