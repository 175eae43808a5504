import { expect, setDefaultTimeout, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { codesOf, documents, missing, missingIn, readFile, trackedTree } from './documents.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const tree = trackedTree()

test('every path, event, setting, metric, route and command that a document names is there', () => {
  expect(documents().length).toBeGreaterThan(30)
  expect(documents().flatMap((document) => missingIn(tree, document))).toEqual([])
})

test.each([
  ['apps/tracking/src/no-such.ts', 'path'],
  ['docs/no-such/', 'path'],
  ['flush.waiting', 'event'],
  ['NO_SUCH_LIMIT=5', 'setting'],
  ['palanquin_no_such_total', 'metric'],
  ['GET /no/{id}/such', 'route'],
  ['./palanquin fly', 'command'],
  ['./palanquin up --sideways', 'command'],
])('%s is found missing: a %s', (code, kind) => {
  expect(missing(tree, code)).toBe(kind)
})

test.each([
  'apps/tracking/src/ingest/{checkin,track-sync}/accept.ts',
  'apps/<app>/src/config.ts',
  'ingest/checkin/',
  '<home>/run.json',
  'flush.postponed',
  'FLUSH_SCHEDULE=*/5 * * * * *',
  'palanquin_http_request_duration_seconds_bucket{route="/checkin"}',
  'GET /user/{userId}/track?format=gpx',
  '/api/<brand>/checkin',
  './palanquin up --port 0 --home /tmp/other',
  'WITH',
  'const next = advance(track, point)',
])('%s is taken', (code) => {
  expect(missing(tree, code, 'apps/tracking')).toBeNull()
})

test('codes are read out of texts and tables, and commands out of blocks', () => {
  const text = 'See `a.ts`.\n```sh\n./palanquin up --detach  # `no`\n```\n| `b` |'
  expect(codesOf(text)).toEqual(['./palanquin up --detach', 'a.ts', 'b'])
})

/** As GitHub makes them of headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )

test('every link leads to a file of the project, and to a heading of it', () => {
  const broken = documents().flatMap(({ file, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => {
        if (/^[a-z]+:/.test(link)) return false
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? file : join(dirname(file), path)
        if (!tree.files.has(target) && !tree.files.has(`${target.replace(/\/$/, '')}/`)) return true
        return anchor !== undefined && !anchorsOf(readFile(target)).includes(anchor)
      })
      .map((link) => `${file}: ${link}`),
  )
  expect(broken).toEqual([])
})
