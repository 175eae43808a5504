import { chunk } from './chunk.ts'

type Waiting<Question, Answer> = {
  question: Question
  answer: (answer: Answer) => void
  fail: (error: unknown) => void
}

/**
 * What is asked in one turn of the event loop, as one question: a call of a neighbour or a store costs more than what it does
 * for ten. `askAll` answers as many, in their order; when it fails, all of that call fail.
 */
export class BatchLoader<Question, Answer> {
  readonly #askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>
  readonly #atOnce: number
  #waiting: Waiting<Question, Answer>[] = []

  constructor({
    askAll,
    atOnce,
  }: {
    askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>
    /** How many go into one call. */
    atOnce: number
  }) {
    this.#askAll = askAll
    this.#atOnce = atOnce
  }

  /** Rejects as `askAll` does. */
  ask(question: Question): Promise<Answer> {
    return new Promise((answer, fail) => {
      if (this.#waiting.push({ question, answer, fail }) === 1) setImmediate(() => this.#leave())
    })
  }

  #leave(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const piece of chunk(waiting, this.#atOnce)) void this.#send(piece)
  }

  async #send(asked: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#askAll(asked.map(({ question }) => question))
      if (answers.length !== asked.length)
        throw new TypeError(`${asked.length} questions got ${answers.length} answers`)
      answers.forEach((answer, at) => {
        asked[at]?.answer(answer)
      })
    } catch (error) {
      for (const { fail } of asked) fail(error)
    }
  }
}
