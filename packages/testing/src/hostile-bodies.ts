/** The gateway lets no longer body through (specification 8). */
const BODY_CHARACTERS_MAX = 102_400

/** A body that is made to cost as much as it can. */
export type HostileBody = {
  name: string
  /** Whether it is refused as a whole, with 400 (contract section 1, "Hostile bodies"). */
  isRefused: boolean
  /** Another text for each `turn`, with names that no text before it had. */
  text: (turn: number) => string
}

/** More than all names of one text. */
const NAMES_PER_TURN = 50_000
const nameOf = (index: number, turn: number): string => (index + turn * NAMES_PER_TURN + 46_656).toString(36)

/** As many parts as fit between `head` and `tail`. */
function filled(head: string, tail: string, part: (index: number) => string): string {
  const parts: string[] = []
  let characters = head.length + tail.length
  for (let index = 0; ; index++) {
    const next = part(index)
    characters += next.length + 1
    if (characters > BODY_CHARACTERS_MAX) return head + parts.join(',') + tail
    parts.push(next)
  }
}

const object = (keys: number, key: (index: number) => string): string =>
  `{${Array.from({ length: keys }, (_, index) => `"${key(index)}":1`).join(',')}}`
const HEAD = '{"userId":"hostile","lat":24,"lng":120,'
const SYNC = '{"userId":"hostile","points":['

/** What 100 KB can hold that is dear to parse, to rename, to walk or to look through. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  {
    name: '9,000 unknown keys',
    isRefused: true,
    text: (turn) => filled(HEAD, '}', (index) => `"${nameOf(index, turn)}":1`),
  },
  {
    name: 'one object with 65 keys',
    isRefused: true,
    text: (turn) => `${HEAD}"x":${object(65, (index) => nameOf(index, turn))}}`,
  },
  {
    name: 'nested keys: thousands in small objects',
    isRefused: true,
    text: (turn) =>
      filled(`${HEAD}"x":[`, ']}', (row) => object(60, (index) => nameOf(row * 60 + index, turn))),
  },
  {
    name: '2,000 keys of 50 underscores, which is as many as may be',
    isRefused: false,
    text: (turn) => {
      const long = (index: number) => `a_${[...nameOf(index, turn)].join('_')}_${'b_'.repeat(13)}c`
      const rows = Array.from({ length: 32 }, (_, row) => object(60, (index) => long(row * 60 + index)))
      return `${HEAD}"x":[${rows.join(',')}]}`
    },
  },
  { name: 'a list of 1,001', isRefused: true, text: () => `${HEAD}"x":[${'1,'.repeat(1_000)}1]}` },
  {
    name: 'lists in lists, 34,000 of them',
    isRefused: true,
    text: () => filled(`${HEAD}"x":[`, ']}', () => `[${'[],'.repeat(990)}[]]`),
  },
  {
    name: 'empty objects, 34,000 of them',
    isRefused: true,
    text: () => filled(`${HEAD}"x":[`, ']}', () => `[${'{},'.repeat(990)}{}]`),
  },
  { name: '17 levels', isRefused: true, text: () => `${HEAD}"x":${'['.repeat(16)}${']'.repeat(16)}}` },
  { name: '50,000 levels', isRefused: true, text: () => `${HEAD}"x":${'['.repeat(50_000)}` },
  {
    name: '__proto__ in each of many objects',
    isRefused: true,
    text: (turn) => filled(`${HEAD}"x":[`, ']}', (row) => `{"__proto__":{"${nameOf(row, turn)}":1}}`),
  },
  {
    name: 'a sync whose 1,000 points have 15 names of their own each',
    isRefused: false,
    text: (turn) => filled(SYNC, ']}', (row) => object(15, (index) => nameOf(row * 15 + index, turn))),
  },
  {
    name: 'a sync whose points have snake_case names of their own',
    isRefused: false,
    text: (turn) => filled(SYNC, ']}', (row) => object(15, (index) => `a_${nameOf(row * 15 + index, turn)}`)),
  },
  {
    name: 'a sync of one point with 9,000 keys',
    isRefused: false,
    text: (turn) => `${filled(`${SYNC}{`, '', (index) => `"${nameOf(index, turn)}":1`)}}]}`,
  },
  {
    name: 'a sync of 1,000 points of 16 keys, which is as many as may be',
    isRefused: false,
    text: () =>
      `${SYNC}${Array(1_000)
        .fill(object(16, (index) => index.toString(36)))
        .join(',')}]}`,
  },
  {
    name: 'a sync whose points have lists in lists',
    isRefused: true,
    text: () => filled(SYNC, ']}', () => `{"x":[${'[],'.repeat(990)}[]]}`),
  },
  {
    name: 'a text of 100,000 letters',
    isRefused: false,
    text: () => `${HEAD}"note":"${'a'.repeat(102_000)}"}`,
  },
  {
    name: 'a text of letters with 15 accents each',
    isRefused: false,
    text: () => `${HEAD}"note":"${`e${'\u0301'.repeat(15)}`.repeat(3_200)}"}`,
  },
  {
    name: 'a text of 17,000 escapes',
    isRefused: false,
    text: () => `${HEAD}"note":"${'\\u0041'.repeat(17_000)}"}`,
  },
  {
    name: 'white space',
    isRefused: false,
    text: () => `${HEAD}"note":"${' '.repeat(51_000)}x"${'\n'.repeat(51_000)}}`,
  },
  {
    name: 'numbers of a hundred digits',
    isRefused: false,
    text: () => filled(`${HEAD}"x":[`, ']}', () => '7'.repeat(110)),
  },
  { name: 'colons', isRefused: true, text: () => ':'.repeat(102_400) },
  { name: 'quotes that never end', isRefused: true, text: () => `${HEAD}"${'\\"'.repeat(51_000)}` },
]
