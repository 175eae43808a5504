import type { Log } from '../log.ts'
import { ApiError } from './api-error.ts'
import { GONE, type PaginatedExport } from './paginated-export.ts'

/** What a cell may hold. Numbers stay numbers in a spreadsheet; text never becomes a formula. */
export type Cell = string | number | boolean | null | undefined

export type Column<Row> = { name: string; value: (row: Row) => Cell }

/** Excel takes a file without it for one of the local code page, and Chinese for rubbish. */
const BYTE_ORDER_MARK = '\uFEFF'
const LINE_END = '\r\n'

/** Spaces and invisible characters before what a spreadsheet would take for the beginning. */
const UNSEEN = /^[\s\p{Z}\p{C}]+/u
/** What begins a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@]/
const CONTROL = /^[\t\r\n]/
/** RFC 4180 asks for the first four; `;` and tab separate cells in some countries. */
const TO_QUOTE = /["\r\n,;\t]|^\s|\s$/

/** A cell as RFC 4180 writes it, harmless in a spreadsheet. A number that is none is an empty cell. */
export function csvCell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  const text = harmless(String(value))
  return TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** An apostrophe before what a spreadsheet would calculate, written in any width: `=`, `＝`, `﹦` … */
function harmless(text: string): string {
  const seen = text.replace(UNSEEN, '').slice(0, 1).normalize('NFKC')
  return CONTROL.test(text) || FORMULA.test(seen) ? `'${text}` : text
}

export const csvLine = (cells: readonly Cell[]): string => cells.map(csvCell).join(',') + LINE_END

type Download<Row> = {
  /** Without its ending; anything but letters, digits, _ and - is replaced. */
  fileName: string
  columns: readonly Column<Row>[]
  /** Page after page; the next is read when the client has taken the last. */
  pages: AsyncIterator<readonly Row[]>
  turns: PaginatedExport
  /** Of the request: who has gone before the first page came waits for none. */
  signal: AbortSignal
  log: Log
  beginMsMax?: number
}

/** Of the 10 s that the gateway waits for the beginning of an answer. */
const BEGIN_MS_MAX = 4_000
/** By then some of those who are in line have their file. */
const LATER = new ApiError(
  'unavailable',
  'Many tables are being downloaded right now. Please try again in a few seconds.',
  { 'retry-after': '10' },
)

/** A CSV download, one page in memory at a time. A lost store is a 503, or later a broken connection. */
export async function csvResponse<Row>({
  fileName,
  columns,
  pages,
  turns,
  signal,
  log,
  beginMsMax = BEGIN_MS_MAX,
}: Download<Row>): Promise<Response | ApiError> {
  if (turns.isFull) return LATER
  const gone = new AbortController()
  const encoder = new TextEncoder()
  const linesOf = (rows: readonly Row[]) =>
    rows.map((row) => csvLine(columns.map(({ value }) => value(row)))).join('')
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(beginMsMax)])
  const first = await turns.take(() => pages.next(), inTime)
  if (first === GONE) return LATER
  let text = BYTE_ORDER_MARK + csvLine(columns.map(({ name }) => name))
  if (!first.done) text += linesOf(first.value)

  /** Text of the next page that has rows; null at the end, or when the client has gone. */
  const next = async (): Promise<string | null> => {
    for (;;) {
      const page = await turns.take(() => pages.next(), gone.signal)
      if (page === GONE || page.done) return null
      if (page.value.length > 0) return linesOf(page.value)
    }
  }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          if (text === '') text = (await next()) ?? ''
          if (gone.signal.aborted) return
          if (text === '') return controller.close()
          controller.enqueue(encoder.encode(text))
          text = ''
        } catch (error) {
          log.error({ event: 'download.broken_off', err: error, fileName }, 'A download broke off')
          controller.error(new Error('the download broke off'))
        }
      },
      cancel: async () => {
        gone.abort()
        await pages.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName.replace(/[^A-Za-z0-9_-]+/g, '-')}.csv"`,
    },
  })
}
