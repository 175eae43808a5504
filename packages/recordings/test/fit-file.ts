/** The FIT files of tests: a file id, and records of place, altitude and speed. */
type Recorded = { at: number; lat?: number; lng?: number; altitude?: number; speed?: number }

const FIT_EPOCH_S = 631_065_600
const SEMICIRCLES = 2 ** 31 / 180
const HEADER_BYTES = 14
const CRC_TABLE = [
  ...[0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401],
  ...[0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01, 0x8801, 0x4400],
]
/** Definition of local message 0: file id (type, time of creation). */
const FILE_ID = [0x40, 0, 0, 0, 0, 2, 0, 1, 0x00, 4, 4, 0x86]
/** Definition of local message 1: record (time, latitude, longitude, altitude, speed). */
const RECORD = [
  0x41,
  0,
  0,
  20,
  0,
  5,
  ...[253, 4, 0x86],
  ...[0, 4, 0x85],
  ...[1, 4, 0x85],
  ...[2, 2, 0x84],
  ...[6, 2, 0x84],
]

/** A file; `dataBytes` is what its header says of its length, where that is a lie. */
export function fitFile(
  records: readonly Recorded[],
  { dataBytes }: { dataBytes?: number } = {},
): Uint8Array {
  const data = [...FILE_ID, 0, 4, ...u32(1_000_000_000), ...RECORD, ...records.flatMap(recordOf)]
  const header = [
    HEADER_BYTES,
    0x10,
    ...u16(2_132),
    ...u32(dataBytes ?? data.length),
    ...Buffer.from('.FIT'),
    0,
    0,
  ]
  const body = Uint8Array.from([...header, ...data])
  return Uint8Array.from([...body, ...u16(crcOf(body))])
}

const recordOf = ({ at, lat, lng, altitude, speed }: Recorded): number[] => [
  1,
  ...u32(at / 1000 - FIT_EPOCH_S),
  ...u32(lat === undefined ? 0x7fff_ffff : Math.round(lat * SEMICIRCLES)),
  ...u32(lng === undefined ? 0x7fff_ffff : Math.round(lng * SEMICIRCLES)),
  ...u16(altitude === undefined ? 0xffff : (altitude + 500) * 5),
  ...u16(speed === undefined ? 0xffff : speed * 1000),
]
const u16 = (value: number): number[] => [value & 255, (value >> 8) & 255]
const u32 = (value: number): number[] => [...u16(value), (value >>> 16) & 255, value >>> 24]

function crcOf(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes)
    for (const nibble of [byte & 15, byte >> 4])
      crc = ((crc >> 4) & 0x0fff) ^ (CRC_TABLE[crc & 15] ?? 0) ^ (CRC_TABLE[nibble] ?? 0)
  return crc
}
