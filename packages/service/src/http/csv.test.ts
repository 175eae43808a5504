import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { capturedLog } from '@palanquin/testing/captured-log'
import { until } from '@palanquin/testing/until'
import { ApiError } from './api-error.ts'
import { type Cell, csvCell, csvLine, csvResponse } from './csv.ts'
import { LINE_MAX, PaginatedExport } from './paginated-export.ts'

test('a cell that a spreadsheet would calculate begins with an apostrophe, in whatever width and behind whatever blanks', () => {
  for (const text of [
    '=1+1',
    '+886912345678',
    '-1',
    '@SUM(A1)',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    '﹦1',
    ' =1',
    '\u3000=1',
    '\u200b=1',
    '\ufeff=1',
    '\u00a0+1',
  ])
    expect(csvCell(text).replace(/^"/, '')).toStartWith(`'${text}`)
  expect(csvCell('\t=1')).toBe('"\'\t=1"')
  expect(csvCell('\r=1')).toBe('"\'\r=1"')
  expect(csvCell("=cmd|'/c calc'!A0")).toBe("'=cmd|'/c calc'!A0")
  expect(csvCell('=HYPERLINK("http://x","y")')).toBe('"\'=HYPERLINK(""http://x"",""y"")"')
})

test('numbers stay numbers, also negative ones; what is none is an empty cell', () => {
  const cells: [Cell, string][] = [
    [-0.011, '-0.011'],
    [0, '0'],
    [1e21, '1e+21'],
    [Number.NaN, ''],
    [Number.POSITIVE_INFINITY, ''],
    [null, ''],
    [undefined, ''],
    [true, 'true'],
    ['', ''],
  ]
  for (const [value, text] of cells) expect([value, csvCell(value)]).toEqual([value, text])
})

test('cells are quoted as RFC 4180 wants it, and where other countries would cut them', () => {
  expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', 'h\r\ni', 'j;k', 'l\tm', ' n', 'o ', '林媽媽'])).toBe(
    'a,"b,c","d""e","f\ng","h\r\ni","j;k","l\tm"," n","o ",林媽媽\r\n',
  )
})

/** Pages of `[0]`, `[1]` …, and what became of them. */
function pagesOf(count: number, fault?: Error, beforeFault?: Promise<void>) {
  const pages = { asked: 0, ended: false }
  async function* generate() {
    try {
      for (; pages.asked < count; pages.asked++) yield [pages.asked]
      await beforeFault
      if (fault) throw fault
    } finally {
      pages.ended = true
    }
  }
  return Object.assign(pages, { rows: generate() })
}
const columns = [{ name: '數', value: (row: number) => row }]
const quiet = () => new PaginatedExport({ queuedMs: () => 0 })
const here = () => new AbortController().signal

async function download(
  rows: AsyncIterator<readonly number[]>,
  { log = capturedLog().log, turns = quiet(), signal = here(), beginMsMax = 60_000 } = {},
): Promise<Response> {
  const fileName = 'a"b/../c\r\nd'
  const answer = await csvResponse({ fileName, columns, pages: rows, turns, signal, log, beginMsMax })
  if (answer instanceof ApiError) throw answer
  return answer
}

test('a download has a byte order mark, its header, every row, and a file name that is none of a path', async () => {
  const answer = await download(pagesOf(3).rows)
  expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe('\uFEFF數\r\n0\r\n1\r\n2\r\n')
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a-b-c-d.csv"')
  expect(await (await download(pagesOf(0).rows)).text()).toBe('數\r\n')
})

test('a page is read when the one before it was taken, and no more once the reader has gone', async () => {
  const pages = pagesOf(1_000)
  const reader = (await download(pages.rows)).body?.getReader()
  for (let i = 0; i < 5; i++) await reader?.read()
  expect(pages.asked).toBeLessThanOrEqual(5)
  await reader?.cancel()
  expect(pages.ended).toBe(true)
})

test('a fault before the first row is thrown to be answered', async () => {
  await expect(download(pagesOf(0, new Error('a store is away')).rows)).rejects.toThrow('a store is away')
})

test('a fault in the middle breaks the connection off, so that half a file does not look whole, and is logged', async () => {
  const { log, lines } = capturedLog()
  const half = Promise.withResolvers<void>()
  const pages = pagesOf(20, new Error('a store is away'), half.promise)
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => download(pages.rows, { log }) })
  let received = ''
  let isOver = false
  const socket = connect(server.port ?? 0, '127.0.0.1')
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.on('error', () => {
    isOver = true
  })
  socket.on('close', () => {
    isOver = true
  })
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await until(() => received.includes('19\r\n'), { what: 'the rows before the fault' })
  half.resolve()
  await until(() => isOver, { what: 'the end of the connection' })
  await server.stop(true)
  // The last chunk of a whole answer.
  expect(received).not.toEndWith('0\r\n\r\n')
  expect(lines).toMatchObject([{ level: 'error', event: 'download.broken_off' }])
})

/** Turns that somebody holds until `release`. */
function heldTurns() {
  const turns = quiet()
  const { promise, resolve: release } = Promise.withResolvers<void>()
  void turns.take(() => promise, here())
  return { turns, release }
}

test('downloads at the same time go by turns, and each is whole', async () => {
  const turns = quiet()
  const order: string[] = []
  async function* rowsOf(name: string) {
    for (let page = 0; page < 5; page++) {
      order.push(name)
      yield [page]
    }
  }
  const bodies = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => (await download(rowsOf(name), { turns })).text()),
  )
  expect(bodies).toEqual(['a', 'b', 'c'].map(() => '數\r\n0\r\n1\r\n2\r\n3\r\n4\r\n'))
  expect(order.join('')).toBe('abc'.repeat(5))
})

test('where too many wait, a download that has not begun gets a time to retry; those that have are finished', async () => {
  const { turns, release } = heldTurns()
  const begun = Array.from({ length: LINE_MAX }, () => download(pagesOf(3).rows, { turns }))
  const late = pagesOf(3)
  const apiError = await download(late.rows, { turns }).catch((error: unknown) => error)
  expect(apiError).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '10' } })
  expect(late.asked).toBe(0)
  release()
  for (const answer of begun) expect(await (await answer).text()).toBe('數\r\n0\r\n1\r\n2\r\n')
})

test('a download that gets no slot in time gets a time to retry, before the deadline of the gateway', async () => {
  const { turns, release } = heldTurns()
  const late = pagesOf(3)
  const apiError = await download(late.rows, { turns, beginMsMax: 20 }).catch((error: unknown) => error)
  expect(apiError).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '10' } })
  expect([turns.waiting, late.asked]).toEqual([0, 0])
  release()
  expect(await (await download(pagesOf(1).rows, { turns, beginMsMax: 20 })).text()).toBe('數\r\n0\r\n')
})

test('a client that goes away gives its place in the line back at once, before the first page and behind it', async () => {
  const turns = quiet()
  const served: { asked: number }[] = []
  const { log, lines } = capturedLog()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ signal }) => {
      const pages = { asked: 0 }
      served.push(pages)
      async function* endless() {
        for (; ; pages.asked++) yield [await Bun.sleep(1).then(() => pages.asked)]
      }
      return download(endless(), { turns, signal, log })
    },
  })
  const client = new AbortController()
  const begun = await fetch(server.url, { signal: client.signal })
  const reading = begun.arrayBuffer().catch(() => 'gone')
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const holding = turns.take(() => promise, here())
  const notBegun = fetch(server.url, { signal: client.signal }).catch(() => 'gone')
  await until(() => turns.waiting === 2, { what: 'both in the line' })
  client.abort()
  await until(() => turns.waiting === 0, { what: 'an empty queue' })
  release()
  await holding
  expect([await reading, await notBegun, served[1]?.asked]).toEqual(['gone', 'gone', 0])
  expect(lines).toEqual([])
  await server.stop(true)
})
