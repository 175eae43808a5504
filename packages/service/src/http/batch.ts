/**
 * Small calls of one route that left together, in one request: a line each, and a line for each answer, in the same order. A
 * call to another process costs some 60 µs on both sides together; so many share it. JSON on one line holds no line end, so no
 * call can reach into another's. An older copy knows none of the paths of today's lines, so it is sent each call by itself.
 */

/** A track of some 300 points; longer bodies travel alone: their own cost is greater than what is shared. */
export const CHARACTERS_MAX = 32_768
export const CALLS_PER_BATCH_MAX = 256
/** Of all bodies of a batch together. */
const BATCH_CHARACTERS_MAX = 262_144
/** A request id and a `userId` have 64 characters at most; two spaces and the line's end. */
const HEAD_CHARACTERS_MAX = 2 * 64 + 3
/** UTF-8 has at most three bytes for a character of a JavaScript text; what stands before the bodies is ASCII. */
export const BATCH_BYTES_MAX = 3 * BATCH_CHARACTERS_MAX + HEAD_CHARACTERS_MAX * CALLS_PER_BATCH_MAX
export const BATCH_TYPE = 'text/plain; charset=utf-8'

/**
 * `userId`: whom the gateway found in the text and counted the call by, without having judged the text; '' where the route
 * names nobody. The service reads the body by its own rules, and sends a call back (ALONE) that names somebody else, or that
 * it would refuse as invalid. Neither id holds a space.
 */
export type BatchedCall = { requestId: string; userId: string; json: string }
/** `isNew`: the call was accepted and brought a participant whom nobody knew. */
export type BatchedAnswer = { status: number; retryAfter: string; json: string; isNew: boolean }
/** Instead of a response: nothing was done, and the call has to be sent by itself. */
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

export function writeCalls(calls: readonly BatchedCall[]): string {
  let text = ''
  for (const { requestId, userId, json } of calls) text += `${requestId} ${userId} ${json}\n`
  return text
}

/** Undefined when the text is none that `writeCalls` wrote. */
export function readCalls(text: string): BatchedCall[] | undefined {
  const lines = linesOf(text)
  if (!lines || lines.length > CALLS_PER_BATCH_MAX) return undefined
  const calls: BatchedCall[] = []
  for (const line of lines) {
    const first = line.indexOf(' ')
    const second = line.indexOf(' ', first + 1)
    if (first < 1 || second < 0) return undefined
    const [requestId, userId] = [line.slice(0, first), line.slice(first + 1, second)]
    calls.push({ requestId, userId, json: line.slice(second + 1) })
  }
  return calls
}

/** `retryAfter` is empty where nothing is said. */
export function writeAnswers(answers: readonly (BatchedAnswer | typeof ALONE)[]): string {
  let text = ''
  for (const answer of answers) text += `${lineOf(answer)}\n`
  return text
}

const NEW = '+'
const lineOf = (answer: BatchedAnswer | typeof ALONE): string =>
  answer === ALONE ? ALONE : `${answer.status}${answer.isNew ? NEW : ''} ${answer.retryAfter} ${answer.json}`

const ANSWER = /^([1-5]\d\d)(\+?) (\d*) /

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
    const [head, status, plus, retryAfter = ''] = ANSWER.exec(line) ?? []
    if (head === undefined) return undefined
    answers.push({ status: Number(status), retryAfter, json: line.slice(head.length), isNew: plus === NEW })
  }
  return answers
}

/** Undefined where the last line is not whole. */
function linesOf(text: string): string[] | undefined {
  const lines = text.split('\n')
  return lines.pop() === '' ? lines : undefined
}
