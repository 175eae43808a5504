import type { Package } from './sources.ts'

/** The last word of a name that holds something which nobody may learn by the time that a comparison takes. */
const SECRET = String.raw`\b[\w.?!]*(?:secret|token|signature|password|passphrase|digest|hmac|hash)\b`
/** A comparison with a text, a number or nothing in the source is about its kind, not its value. */
const VALUE = String.raw`(?!['"\x60\d]|null\b|undefined\b|true\b|false\b|AWAY\b)[\w.[\]]`
const PATTERNS = [
  new RegExp(String.raw`(?<!typeof )${SECRET}\s*[!=]==?\s*${VALUE}`, 'i'),
  new RegExp(String.raw`(?<!['"\x60\d]|null|undefined)\s[!=]==?\s*(?!typeof)${SECRET}(?![.(\w])`, 'i'),
  new RegExp(String.raw`${SECRET}\)?\.(?:equals|localeCompare|startsWith|endsWith|includes)\(`, 'i'),
  /\bBuffer\.compare\(/,
]

/** Every line of the services that compares a secret in a way that stops at the first difference; as `file:line text`. */
export function earlyComparisons(packages: readonly Package[]): string[] {
  return packages
    .filter(({ folder, name }) => name === 'embedded' || /^(apps|packages)\/(?!testing)/.test(folder))
    .flatMap(({ sources }) => sources.filter(({ isTest }) => !isTest))
    .flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, at) => (isEarly(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
    )
}

const isEarly = (line: string): boolean =>
  !/^\s*(?:\*|\/\/|\/\*)/.test(line) && PATTERNS.some((pattern) => pattern.test(line))
