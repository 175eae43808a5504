import { COLUMNS } from '@palanquin/stack/progress'

const WIDTH = 32
const REDRAW_MS = 100
/** Without a terminal: a line every tenth. */
const TENTHS = 10

export type ProgressBar = { moved: () => void; finish: () => void }

/** A progress bar on a terminal, a few lines elsewhere. `note` describes the current state. */
export function createProgressBar(
  total: number,
  note: () => string,
  out: NodeJS.WriteStream = process.stdout,
): ProgressBar {
  let done = 0
  let printedTenths = 0
  const startedMs = performance.now()
  const draw = () => {
    const share = Math.min(1, done / Math.max(1, total))
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░')
    const line = `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${elapsed(startedMs)}  ${note()}`
    out.write(`\r\x1b[2K${line.slice(0, (out.columns || COLUMNS) - 1)}`)
  }
  const timer = out.isTTY ? setInterval(draw, REDRAW_MS) : undefined
  return {
    moved: () => {
      done++
      const tenth = Math.floor((done / Math.max(1, total)) * TENTHS)
      if (out.isTTY || tenth <= printedTenths) return
      printedTenths = tenth
      out.write(`${String(tenth * 10).padStart(3)} %  ${elapsed(startedMs)}  ${note()}\n`)
    },
    finish: () => {
      clearInterval(timer)
      if (out.isTTY) out.write('\r\x1b[2K')
    },
  }
}

const elapsed = (startedMs: number): string => {
  const wholeS = Math.floor((performance.now() - startedMs) / 1000)
  return `${Math.floor(wholeS / 60)}:${String(wholeS % 60).padStart(2, '0')}`
}
