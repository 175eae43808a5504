import { afterEach, expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { type Unit, watchPid } from '../units/unit.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'

const quiet = { detail: () => {}, signal: new AbortController().signal }
let supervisor: Supervisor | undefined
afterEach(() => supervisor?.stop())

/** A unit that is a real, idle process; `order` records its starts and stops. */
function sleeper(name: string, order: string[] = [], { seconds = '60' } = {}): Unit & { pids: number[] } {
  const pids: number[] = []
  return {
    name,
    pids,
    start: async () => {
      const child = Bun.spawn(['sleep', seconds])
      pids.push(child.pid)
      order.push(`start ${name}`)
      const isAlive = watchPid(child.pid)
      return {
        pid: child.pid,
        isAlive,
        stop: async () => {
          order.push(`stop ${name}`)
          child.kill()
          await child.exited
        },
      }
    },
  }
}

const kill = (pid: number | undefined, signal: NodeJS.Signals) => process.kill(pid ?? 0, signal)

test('a killed process is started again, and the restart is logged', async () => {
  const logged: string[] = []
  let changes = 0
  supervisor = createSupervisor({ log: (line) => logged.push(line), changed: () => changes++ })
  const unit = sleeper('crawler')
  await supervisor.add([[unit]], quiet)
  for (let death = 1; death <= 3; death++) {
    await Bun.sleep(1_100) // a unit that ran for a second is restarted at once
    kill(unit.pids.at(-1), 'SIGKILL')
    await until(() => unit.pids.length === death + 1, { what: 'another start' })
  }
  await until(() => changes === 3, { what: 'three changes' })
  expect(logged.filter((line) => line.includes('crawler is back'))).toHaveLength(3)
})

test('a stopped process (SIGSTOP) is not dead, and is left alone', async () => {
  supervisor = createSupervisor({ log: () => {}, changed: () => {} })
  const [suspended, other] = [sleeper('suspended'), sleeper('other')]
  await supervisor.add([[suspended, other]], quiet)
  kill(suspended.pids[0], 'SIGSTOP')
  kill(other.pids[0], 'SIGKILL')
  await until(() => other.pids.length === 2, { what: 'a look at both' })
  expect(suspended.pids).toHaveLength(1)
  kill(suspended.pids[0], 'SIGCONT')
})

test('a process that keeps dying is restarted less and less often', async () => {
  supervisor = createSupervisor({ log: () => {}, changed: () => {} })
  const unit = sleeper('crasher', [], { seconds: '0' })
  await supervisor.add([[unit]], quiet)
  await until(() => unit.pids.length >= 3, { what: 'two restarts' })
  const startedMs = performance.now()
  await until(() => unit.pids.length >= 5, { what: 'two more' })
  expect(performance.now() - startedMs).toBeGreaterThan(1_000)
})

test('a later stage is stopped first, and each waits for the one before', async () => {
  const order: string[] = []
  supervisor = createSupervisor({ log: () => {}, changed: () => {} })
  await supervisor.add([[sleeper('store', order)]], quiet)
  await supervisor.add([[sleeper('service', order)], [sleeper('gateway', order)]], quiet)
  expect(await supervisor.stop()).toEqual([])
  expect(order.slice(-3)).toEqual(['stop gateway', 'stop service', 'stop store'])
})

test('when one of several does not start, all are stopped', async () => {
  const order: string[] = []
  supervisor = createSupervisor({ log: () => {}, changed: () => {} })
  const broken: Unit = { name: 'broken', start: () => Promise.reject(new Error('no such program')) }
  await expect(supervisor.add([[sleeper('well', order), broken]], quiet)).rejects.toThrow('no such program')
  await supervisor.stop()
  expect(order).toEqual(['start well', 'stop well'])
})
