import type { Source } from './sources.ts'

/** The last word of a name whose value must not leak through the time that a comparison takes. */
const SECRET = String.raw`\b[\w.?!]*(?:secret|token|signature|password|passphrase|digest|hmac|hash)\b`
/** A comparison with a text, a number or nothing in the source is about its kind, not its value. */
const VALUE = String.raw`(?!['"\x60\d]|null\b|undefined\b|true\b|false\b|AWAY\b)[\w.[\]]`
const PATTERNS = [
  new RegExp(String.raw`(?<!typeof )${SECRET}\s*[!=]==?\s*${VALUE}`, 'i'),
  new RegExp(String.raw`(?<!['"\x60\d]|null|undefined)\s[!=]==?\s*(?!typeof)${SECRET}(?![.(\w])`, 'i'),
  new RegExp(String.raw`${SECRET}\)?\.(?:equals|localeCompare|startsWith|endsWith|includes)\(`, 'i'),
  /\bBuffer\.compare\(/,
]

/** Every line that compares a secret in a way that stops at the first difference; as `file:line text`. */
export const earlyComparisons = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, at) => (isEarly(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
  )

const isEarly = (line: string): boolean =>
  !/^\s*(?:\*|\/\/|\/\*)/.test(line) && PATTERNS.some((pattern) => pattern.test(line))
