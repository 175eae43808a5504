/**
 * Small calls of one route that came in one tick of the event loop, in one request: a line each, and a line for
 * each answer, in the same order. A call to another process costs some 60 µs on both sides together; so many
 * share it. JSON on one line holds no line end, so no call can reach into another's.
 */

/** A track of some 300 points; longer bodies travel alone: their own cost is greater than what is shared. */
const CHARACTERS_MAX = 32_768
export const CALLS_PER_BATCH_MAX = 256
/** Of all bodies of a batch together. */
const BATCH_CHARACTERS_MAX = 262_144
/** UTF-8 has at most three bytes for a character of a JavaScript text; request ids and separators besides. */
export const BATCH_BYTES_MAX = 3 * BATCH_CHARACTERS_MAX + 100 * CALLS_PER_BATCH_MAX
export const BATCH_TYPE = 'text/plain; charset=utf-8'

export type BatchedCall = { requestId: string; json: string }
export type BatchedAnswer = { status: number; retryAfter: string; json: string }
/** Instead of a response: the call would delay the others, and has to be sent by itself. */
export const ALONE = 'alone'

/** Whether a body can travel with others. */
export const fitsBatch = (json: string): boolean => json.length <= CHARACTERS_MAX && !json.includes('\n')

/** Calls in groups that fit into a batch each, in their order. */
export function inBatches<C extends BatchedCall>(calls: readonly C[]): C[][] {
  const batches: C[][] = []
  let characters = 0
  for (const call of calls) {
    const last = batches.at(-1)
    characters += call.json.length
    if (last && last.length < CALLS_PER_BATCH_MAX && characters <= BATCH_CHARACTERS_MAX) last.push(call)
    else {
      batches.push([call])
      characters = call.json.length
    }
  }
  return batches
}

export const writeCalls = (calls: readonly BatchedCall[]): string =>
  calls.map(({ requestId, json }) => `${requestId} ${json}\n`).join('')

/** Undefined when the text is none that `writeCalls` wrote. */
export function readCalls(text: string): BatchedCall[] | undefined {
  const lines = linesOf(text)
  if (!lines || lines.length > CALLS_PER_BATCH_MAX) return undefined
  const calls: BatchedCall[] = []
  for (const line of lines) {
    const space = line.indexOf(' ')
    if (space < 1) return undefined
    calls.push({ requestId: line.slice(0, space), json: line.slice(space + 1) })
  }
  return calls
}

/** `retryAfter` is empty where nothing is said. */
export const writeAnswers = (answers: readonly (BatchedAnswer | typeof ALONE)[]): string =>
  answers.map((answer) => `${lineOf(answer)}\n`).join('')

const lineOf = (answer: BatchedAnswer | typeof ALONE): string =>
  answer === ALONE ? ALONE : `${answer.status} ${answer.retryAfter} ${answer.json}`

const ANSWER = /^([1-5]\d\d) (\d*) /

/** As many answers as there were calls; undefined when the text is anything else. */
export function readAnswers(text: string, calls: number): (BatchedAnswer | typeof ALONE)[] | undefined {
  const lines = linesOf(text)
  if (lines?.length !== calls) return undefined
  const answers: (BatchedAnswer | typeof ALONE)[] = []
  for (const line of lines) {
    if (line === ALONE) {
      answers.push(ALONE)
      continue
    }
    const [head, status, retryAfter = ''] = ANSWER.exec(line) ?? []
    if (head === undefined) return undefined
    answers.push({ status: Number(status), retryAfter, json: line.slice(head.length) })
  }
  return answers
}

/** Undefined where the last line is not whole. */
function linesOf(text: string): string[] | undefined {
  const lines = text.split('\n')
  return lines.pop() === '' ? lines : undefined
}
