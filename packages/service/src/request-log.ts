import type { Log } from './log.ts'

/** What is logged of a request; its texts are ours, ids and methods. */
export type RequestLine = { requestId: string; route: string; method: string; status: number; ms: number }

/** From here on a request is slow. */
const SLOW_MS = 2_000
/** Lines of one level in a second: a store that is away must not fill the disk. */
const LINES_PER_S = 10

/** Logs requests that failed, were refused, took long or are administrative; others at `debug`. */
export function requestLog(log: Log): (line: RequestLine, isAdministrative?: boolean) => void {
  const mayWarn = perSecond(LINES_PER_S)
  const mayInform = perSecond(LINES_PER_S)
  const write = (level: 'warn' | 'info' | 'debug', line: RequestLine) =>
    log[level]({ event: 'request.completed', ...line }, 'Request completed')
  return (line, isAdministrative = false) => {
    const { status, ms } = line
    if (status >= 500 && status !== 501) {
      if (mayWarn()) write('warn', line)
    } else if (status >= 400 || ms >= SLOW_MS) {
      if (mayInform()) write('info', line)
    } else if (isAdministrative) write('info', line)
    else if (log.isLevelEnabled('debug')) write('debug', line)
  }
}

/** True at most so often in a second. */
export function perSecond(times: number): () => boolean {
  let second = 0
  let taken = 0
  return () => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) taken = 0
    second = now
    return taken++ < times
  }
}
