import { expect, test } from 'bun:test'
import { fairQueue } from './fair-queue.ts'

type Task = { client: string | undefined; name: string }
const queueWith = (waitingMax: number, ...tasks: [client: string | undefined, name: string][]) => {
  const queue = fairQueue<Task>(waitingMax)
  return { queue, added: tasks.map(([client, name]) => queue.add({ client, name })) }
}
const names = (...tasks: (Task | undefined)[]) => tasks.map((task) => task?.name)

test('one network has one picture at work; whoever came behind its others is served before them', () => {
  const { queue } = queueWith(8, ['a', 'a1'], ['a', 'a2'], ['b', 'b1'], ['b', 'b2'])
  const [first, second, third] = [queue.take(), queue.take(), queue.take()]
  expect(names(first, second, third)).toEqual(['a1', 'b1', undefined])
  if (first) queue.done(first)
  expect(names(queue.take(), queue.take())).toEqual(['a2', undefined])
})

test('one network fills half of the places to wait, and the others find theirs', () => {
  const { added } = queueWith(4, ['a', '1'], ['a', '2'], ['a', '3'], ['b', '4'], ['c', '5'], ['d', '6'])
  expect(added).toEqual([true, true, false, true, true, false])
})

test('what comes from LINE is of no network: as many at work as there are processes', () => {
  const { queue, added } = queueWith(3, [undefined, '1'], [undefined, '2'], [undefined, '3'])
  expect(added).toEqual([true, true, true])
  expect(names(queue.take(), queue.take(), queue.take(), queue.take())).toEqual(['1', '2', '3', undefined])
})

test('a task that is to be tried again is the next of its network, and one that leaves is not taken', () => {
  const { queue } = queueWith(4, ['a', '1'], ['a', '2'], ['b', '3'])
  const first = queue.take()
  if (first) queue.again(first)
  expect(names(queue.take())).toEqual(['1'])
  const third = queue.take()
  expect(names(third)).toEqual(['3'])
  const fourth = { client: 'c', name: '4' }
  queue.add(fourth)
  queue.leave(fourth)
  expect(names(queue.take())).toEqual([undefined])
  expect(names(...queue.drain())).toEqual(['2'])
})
