/** Progress of a start; plain data, so that it can cross between processes. */
export type ProgressEvent =
  | { type: 'begin'; step: string }
  | { type: 'detail'; step: string; text: string }
  | { type: 'done'; step: string; ms: number }
  | { type: 'failed'; step: string; ms: number }
  | { type: 'note'; text: string }

export type ProgressSink = (event: ProgressEvent) => void

/** Runs one step between its `begin` and its `done` or `failed`, and passes its error on. */
export async function step<T>(
  sink: ProgressSink,
  name: string,
  work: (detail: (text: string) => void) => Promise<T>,
): Promise<T> {
  const startedMs = performance.now()
  sink({ type: 'begin', step: name })
  try {
    const result = await work((text) => sink({ type: 'detail', step: name, text }))
    sink({ type: 'done', step: name, ms: performance.now() - startedMs })
    return result
  } catch (error) {
    sink({ type: 'failed', step: name, ms: performance.now() - startedMs })
    throw error
  }
}

/** Seconds, formatted. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** For a terminal that does not report its width. */
export const COLUMNS = 80
/** Aligns what follows the names of the steps. */
const NAME_WIDTH = 46

/** Shows progress on standard output: one moving line per step on a terminal, else a line when it is done. */
export function showProgress(out: NodeJS.WriteStream = process.stdout): ProgressSink {
  return out.isTTY ? terminalSink(out) : plainSink(out)
}

function plainSink(out: NodeJS.WriteStream): ProgressSink {
  return (event) => {
    if (event.type === 'note') out.write(`${event.text}\n`)
    if (event.type === 'detail') out.write(`      ${event.text}\n`)
    if (event.type === 'done') out.write(`ok    ${event.step.padEnd(NAME_WIDTH)} ${seconds(event.ms)}\n`)
    if (event.type === 'failed') out.write(`FAIL  ${event.step.padEnd(NAME_WIDTH)} ${seconds(event.ms)}\n`)
  }
}

function terminalSink(out: NodeJS.WriteStream): ProgressSink {
  const paint = (code: number, text: string) => (process.env.NO_COLOR ? text : `\x1b[${code}m${text}\x1b[0m`)
  let running:
    | { name: string; detail: string; sinceMs: number; timer: ReturnType<typeof setInterval> }
    | undefined
  const clear = () => out.write('\r\x1b[2K')
  const draw = () => {
    if (!running) return
    const elapsedMs = performance.now() - running.sinceMs
    const frame = FRAMES[Math.floor(elapsedMs / FRAME_MS) % FRAMES.length]
    const line = `${running.name.padEnd(NAME_WIDTH)} ${seconds(elapsedMs)}  ${running.detail}`
    clear()
    out.write(`${paint(36, frame ?? '')} ${line.slice(0, (out.columns || COLUMNS) - 3)}`)
  }
  const finish = () => {
    clearInterval(running?.timer)
    running = undefined
    clear()
  }
  return (event) => {
    if (event.type === 'begin')
      running = {
        name: event.step,
        detail: '',
        sinceMs: performance.now(),
        timer: setInterval(draw, FRAME_MS),
      }
    if (event.type === 'detail' && running) running.detail = event.text
    if (event.type === 'done' || event.type === 'failed') {
      finish()
      const mark = event.type === 'done' ? paint(32, '✓') : paint(31, '✗')
      out.write(`${mark} ${event.step.padEnd(NAME_WIDTH)} ${paint(2, seconds(event.ms))}\n`)
    }
    if (event.type === 'note') {
      clear()
      out.write(`${event.text}\n`)
    }
    draw()
  }
}
