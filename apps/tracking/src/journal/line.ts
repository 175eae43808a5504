/** One journal entry is one line, `<crc32 hex> <json>\n`: a crash can tear the last one, and the checksum shows it. */

const CRC_DIGITS = 8
const SPACE = ' '

const crcOf = (text: string): string => Bun.hash.crc32(text).toString(16).padStart(CRC_DIGITS, '0')

/** The line of an entry, line end included. JSON text never holds a raw line end. */
export const encodeLine = (json: string): string => `${crcOf(json)}${SPACE}${json}\n`

/** A line as it was read: `json` where the checksum agrees, else the `damaged` text. */
export type Line = { json: string } | { damaged: string }

/**
 * The lines of a segment in their order. What follows the last line end is `torn` (empty when there is none): a crash cut
 * it off while it was written, and it was never answered.
 */
export function decodeLines(text: string): { lines: Line[]; torn: string } {
  const parts = text.split('\n')
  const torn = parts.pop() ?? ''
  return { lines: parts.map(decodeLine), torn }
}

function decodeLine(line: string): Line {
  const json = line.slice(CRC_DIGITS + 1)
  const whole = line[CRC_DIGITS] === SPACE && line.slice(0, CRC_DIGITS) === crcOf(json)
  return whole ? { json } : { damaged: line }
}
