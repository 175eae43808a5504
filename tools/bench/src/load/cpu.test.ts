import { expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { cpuMsOf, cpuMsOfTree, cpuUsEach } from './cpu.ts'

/** Uses that much processor time, however long it takes on a busy machine. */
const SPEND = `const before = process.cpuUsage(); while (process.cpuUsage(before).user < 150_000);`

test('a process is charged its own time; its tree also that of its children, even after they have ended', async () => {
  const parent = Bun.spawn(['sh', '-c', `"$0" -e "$1"; echo spent; read line`, process.execPath, SPEND], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    expect(new TextDecoder().decode((await parent.stdout.getReader().read()).value)).toBe('spent\n')
    expect(cpuMsOfTree(parent.pid)).toBeGreaterThanOrEqual(150)
    expect(cpuMsOf(parent.pid)).toBeLessThan(100)
  } finally {
    parent.kill()
    await parent.exited
  }
})

test('a running child counts for the tree', async () => {
  const parent = Bun.spawn(
    ['sh', '-c', `"$0" -e "$1; process.stdin.resume()"; true`, process.execPath, SPEND],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  )
  try {
    await until(() => cpuMsOfTree(parent.pid) >= 150, { what: 'the time of a running child' })
    expect(cpuMsOf(parent.pid)).toBeLessThan(100)
  } finally {
    parent.stdin.end() // the child ends with its parent
    await parent.exited
  }
})

test('a process that has ended has no processor time', async () => {
  const { pid, exited } = Bun.spawn(['true'])
  await exited
  expect(cpuMsOf(pid)).toBeNaN()
  expect(cpuMsOfTree(pid)).toBeNaN()
})

test('two snapshots give microseconds per request, by name and in total', () => {
  const each = cpuUsEach({ gateway: 10, redis: 5 }, { gateway: 30, redis: 10, map: 1 }, 100)
  expect(each).toEqual({ us: 260, by: { gateway: 200, redis: 50, map: 10 } })
})
