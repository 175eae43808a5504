const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUE_OF = new Map([...DIGITS].map((digit, value) => [digit, value]))
/** A digit has five bits of the number, lowest first, and a bit that says that more follow. */
const BITS = 5
const MORE = 1 << BITS

/** The numbers of a segment (ECMA-426, base64 VLQ). */
function decode(segment: string): number[] {
  const numbers: number[] = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = VALUE_OF.get(digit) ?? 0
    value |= (bits & (MORE - 1)) << shift
    shift += BITS
    if (bits & MORE) continue
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1)
    ;[value, shift] = [0, 0]
  }
  return numbers
}

function encode(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let digits = ''
  do {
    const bits = rest & (MORE - 1)
    rest >>>= BITS
    digits += DIGITS[rest > 0 ? bits | MORE : bits]
  } while (rest > 0)
  return digits
}

/**
 * The mappings of a source map without those that only say another column of the same line: what is left still names the file
 * and line of every place. Bun keeps 20 bytes of memory for each mapping from the first stack on.
 */
export function thinMappings(mappings: string): string {
  let [source, line, column] = [0, 0, 0]
  let kept: readonly [source: number, line: number, column: number] = [0, 0, 0]
  return mappings
    .split(';')
    .map((segments) => {
      let [at, keptAt, isFirst] = [0, 0, true]
      let thin = ''
      for (const segment of segments === '' ? [] : segments.split(',')) {
        const [byColumns = 0, bySources, byLines = 0, bySourceColumns = 0] = decode(segment)
        at += byColumns
        if (bySources === undefined) continue
        source += bySources
        line += byLines
        column += bySourceColumns
        if (!isFirst && source === kept[0] && line === kept[1]) continue
        const numbers = [at - keptAt, source - kept[0], line - kept[1], column - kept[2]]
        thin += `${isFirst ? '' : ','}${numbers.map(encode).join('')}`
        kept = [source, line, column]
        keptAt = at
        isFirst = false
      }
      return thin
    })
    .join(';')
}
