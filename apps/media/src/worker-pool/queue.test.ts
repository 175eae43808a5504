import { expect, test } from 'bun:test'
import { fairQueue, type Priority, type Queued } from './queue.ts'

type Job = Queued & { name: string }
const jobOf = (client: string | undefined, name: string, priority: Priority = 'normal'): Job => ({
  priority,
  client,
  name,
})
const queueWith = (waitingMax: number, ...tasks: [client: string | undefined, name: string][]) => {
  const queue = fairQueue<Job>(waitingMax)
  return { queue, added: tasks.map(([client, name]) => queue.add(jobOf(client, name))) }
}
const names = (...jobs: (Job | undefined)[]) => jobs.map((job) => job?.name)

test('one network has one job running; a client behind its others is served before them', () => {
  const { queue } = queueWith(8, ['a', 'a1'], ['a', 'a2'], ['b', 'b1'], ['b', 'b2'])
  const [first, second, third] = [queue.take(), queue.take(), queue.take()]
  expect(names(first, second, third)).toEqual(['a1', 'b1', undefined])
  if (first) queue.done(first)
  expect(names(queue.take(), queue.take())).toEqual(['a2', undefined])
})

test('one network fills half of the queue, and the others use the rest', () => {
  const { added } = queueWith(4, ['a', '1'], ['a', '2'], ['a', '3'], ['b', '4'], ['c', '5'], ['d', '6'])
  expect(added).toEqual([true, true, false, true, true, false])
})

test('jobs without a client have no limit of their own', () => {
  const { queue, added } = queueWith(3, [undefined, '1'], [undefined, '2'], [undefined, '3'])
  expect(added).toEqual([true, true, true])
  expect(names(queue.take(), queue.take(), queue.take(), queue.take())).toEqual(['1', '2', '3', undefined])
})

test('a job that is tried again is the next of its network, and one that was removed is not taken', () => {
  const { queue } = queueWith(4, ['a', '1'], ['a', '2'], ['b', '3'])
  const first = queue.take()
  if (first) queue.again(first)
  expect(names(queue.take())).toEqual(['1'])
  const third = queue.take()
  expect(names(third)).toEqual(['3'])
  const fourth = jobOf('c', '4')
  queue.add(fourth)
  queue.remove(fourth)
  expect(names(queue.take())).toEqual([undefined])
  expect(names(...queue.drain())).toEqual(['2'])
})

test('a low priority waits for all others, in a line of its own', () => {
  const queue = fairQueue<Job>(1)
  expect(queue.add(jobOf(undefined, 'low', 'low'))).toBe(true)
  expect(queue.add(jobOf(undefined, 'normal'))).toBe(true)
  expect(queue.add(jobOf(undefined, 'low', 'low'))).toBe(false)
  expect([queue.waiting('normal'), queue.waiting('low')]).toEqual([1, 1])
  expect(names(queue.take(), queue.take(), queue.take())).toEqual(['normal', 'low', undefined])
})
