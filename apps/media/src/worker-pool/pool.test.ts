import { expect, test } from 'bun:test'
import { createWorkerPool } from './pool.ts'
import type { PoolWorker } from './worker.ts'

type Worker = PoolWorker<string, string>

/** A worker that echoes its task, and can be ended from outside as if it had crashed while idle. */
function echo() {
  const state = { isEnded: false, runs: 0 }
  const worker: Worker = {
    run: async (task) => {
      state.runs++
      return { reply: task }
    },
    get runs() {
      return state.runs
    },
    get isEnded() {
      return state.isEnded
    },
    pid: undefined,
    end: () => {
      state.isEnded = true
    },
  }
  return { worker, state }
}

const LIMITS = { workersMax: 1, waitingMax: 8, waitMsMax: 600_000, deadlineMs: 600_000, idleMs: 600_000 }
const poolOn = (start: () => Worker) => {
  const failures: string[] = []
  const pool = createWorkerPool<string, string>({
    ...LIMITS,
    start,
    isRetried: () => true,
    isWornOut: () => false,
    onFailure: ({ failure }) => failures.push(failure),
  })
  return { pool, failures }
}

test('a worker that cannot be started is a failure of the job, and the next job starts another', async () => {
  let attempts = 0
  const { pool, failures } = poolOn(() => {
    if (++attempts <= 2) throw new Error('too many open files')
    return echo().worker
  })
  expect(await pool.run(() => 'first')).toMatchObject({ failure: 'unstarted', tries: 2 })
  expect(failures).toEqual(['unstarted', 'unstarted'])
  expect(await pool.run(() => 'second')).toMatchObject({ reply: 'second', tries: 1 })
  pool.stop()
})

test('an idle worker that ended by itself is not used again', async () => {
  const started: ReturnType<typeof echo>[] = []
  const { pool, failures } = poolOn(() => {
    const one = echo()
    started.push(one)
    return one.worker
  })
  await pool.run(() => 'first')
  await pool.run(() => 'second')
  expect(started).toHaveLength(1)
  started[0]?.worker.end()
  expect(await pool.run(() => 'third')).toMatchObject({ reply: 'third', tries: 1 })
  expect(started).toHaveLength(2)
  expect(failures).toEqual([])
  pool.stop()
})

test('a stopped pool takes no more jobs, and the waiting ones learn it', async () => {
  const { pool } = poolOn(() => ({ ...echo().worker, run: () => Promise.withResolvers<never>().promise }))
  const running = pool.run(() => 'runs')
  const waiting = pool.run(() => 'waits')
  pool.stop()
  expect(await waiting).toMatchObject({ failure: 'stopped', tries: 0 })
  expect(await pool.run(() => 'late')).toMatchObject({ failure: 'stopped', tries: 0 })
  expect(Bun.peek.status(running)).toBe('pending')
})
