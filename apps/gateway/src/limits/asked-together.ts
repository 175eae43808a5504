import { DeadlineExceeded } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import type { Count } from './own-windows.ts'
import { WINDOW_SCRIPT, WINDOW_SCRIPT_SHA } from './script.ts'

/**
 * A limit may cost a request this much at most, and only until the first call noticed that Redis stalls. On a machine
 * with ten times more to do than it can, a Redis that is well took longer than 100 ms, and limits were not exact.
 */
const DEADLINE_MS = 250
/** What Redis does at one go, with nobody else in between: a millisecond. */
const QUESTIONS_MAX = 250

/** `stamp` is what `giveBack` wants. */
export type SharedCount = Count & { stamp: string }
export type Question = { key: string; limit: number; windowMs: number; take: boolean }
type Asked = Question & { answer: (count: SharedCount) => void; fail: (error: unknown) => void }

/**
 * Counts by the script. What is asked in one turn of the event loop is one call of Redis, where it has all keys: a
 * command costs its client more than Redis counts for ten. On a cluster each key is a call of its own.
 */
export class AskedTogether {
  readonly #redis: Redis
  readonly #onLate: (error: unknown) => void
  #waiting: Asked[] = []

  constructor({ redis, onLate }: { redis: Redis; onLate: (error: unknown) => void }) {
    this.#redis = redis
    this.#onLate = onLate
  }

  /** Rejects when Redis is away or later than DEADLINE_MS. */
  ask(question: Question): Promise<SharedCount> {
    return new Promise((answer, fail) => {
      if (this.#waiting.push({ ...question, answer, fail }) === 1) setImmediate(() => this.#send())
    })
  }

  #send(): void {
    const waiting = this.#waiting
    this.#waiting = []
    const atOnce = this.#redis.isCluster ? 1 : QUESTIONS_MAX
    for (let at = 0; at < waiting.length; at += atOnce) void this.#sendSome(waiting.slice(at, at + atOnce))
  }

  async #sendSome(asked: readonly Asked[]): Promise<void> {
    let isLate = false
    const fail = (error: unknown) => {
      if (isLate) this.#onLate(error)
      for (const one of asked) one.fail(error)
    }
    const timer = setTimeout(() => {
      fail(new DeadlineExceeded('Redis', DEADLINE_MS))
      isLate = true
    }, DEADLINE_MS)
    try {
      const answers = String(await this.#run(asked)).split('\n')
      asked.forEach(({ answer }, at) => {
        answer(readCount(answers[at] ?? ''))
      })
    } catch (error) {
      fail(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** `send`, because the client's own `evalSha` costs a quarter more (measured). */
  async #run(asked: readonly Asked[]): Promise<unknown> {
    const keys = asked.map(({ key }) => key)
    const numbers = asked.flatMap(({ limit, windowMs, take }) => [
      String(limit),
      String(windowMs * 1_000),
      take ? '1' : '0',
    ])
    const rest = [String(keys.length), ...keys, ...numbers]
    const [key = ''] = keys
    try {
      return await this.#redis.send(key, ['EVALSHA', WINDOW_SCRIPT_SHA, ...rest])
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return await this.#redis.send(key, ['EVAL', WINDOW_SCRIPT, ...rest])
    }
  }
}

function readCount(answer: string): SharedCount {
  const [allowed, used, freeInUs, stamp = ''] = answer.split(' ')
  return { allowed: allowed === '1', used: Number(used), freeInMs: Number(freeInUs) / 1_000, stamp }
}
