/** JSON as phones and attackers write it, for tests that hold a scan to the parser. */
import fc from 'fast-check'

/** Numbers as phones and attackers write them. */
export const numeral = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -200, max: 200, noNaN: true }).map(String) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.integer({ min: -200, max: 200 }), fc.nat(9_999_999)).map(([a, b]) => `${a}.${b}`),
  },
  { weight: 3, arbitrary: fc.integer({ min: -200, max: 400 }).map(String) },
  fc.double().map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom(
    '0',
    '-0',
    '-0.0',
    '1e2',
    '1E-31',
    '1e400',
    '-1e400',
    '01',
    '1.',
    '.5',
    '+1',
    '--1',
    '1e',
    '0x10',
    'NaN',
    '120.00000000000000000001',
    '5e-324',
    '9007199254740993',
    '90',
    '90.00000000000001',
    '-180',
    '1_0',
  ),
)
/** Around `now`, in epoch ms. */
export const timeNear = (now: number) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: now - 3_000_000_000, max: now + 400_000 }).map(String) },
    {
      weight: 3,
      arbitrary: fc.integer({ min: now - 100_000, max: now }).map((ms) => `"${new Date(ms).toISOString()}"`),
    },
    fc.integer({ min: now / 1000 - 5_000, max: now / 1000 }).map((s) => `${s}.25`),
    fc.constantFrom(
      '"2026-05-01T15:00:00+08:00"',
      '" 2026-05-01T07:00:00Z"',
      '"yesterday"',
      '""',
      '1e12',
      String(now),
      '123456789012345678',
    ),
  )
/** What is no number, and rarely the right text. */
export const odd = fc.oneof(
  fc.json(),
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom(
    'null',
    'true',
    '"ios"',
    '"web"',
    '" ios"',
    '"\\u0069os"',
    '"山"',
    '"\u007f"',
    '[]',
    '{}',
    '"a\nb"',
    'nul',
  ),
)
/** White space, and what is none to JSON. */
export const space = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  fc.constantFrom(' ', '\n', '\t ', '\r\n', '\u00a0', '\ufeff'),
)
/** Usually the one, now and then the other. */
export const of = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>, weight = 40) =>
  fc.oneof({ weight, arbitrary: usual }, unusual)
/** A name and its value; now and then another name, or an odd value. */
export const member = (name: string, value: fc.Arbitrary<string>) =>
  fc
    .tuple(
      of(
        fc.constant(`"${name}"`),
        fc.constantFrom('"timestamp"', '"recorded_at"', '"__proto__"', '"x"', '"l\\u0061t"', 'lat'),
        60,
      ),
      space,
      of(value, odd),
    )
    .map(([key, gap, text]) => `${key}${gap}:${gap}${text}`)
