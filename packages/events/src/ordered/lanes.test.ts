import { expect, test } from 'bun:test'
import { createLanes } from './dispatcher.ts'

test('work of one key runs in its order, of different keys side by side, and a failure stops neither', async () => {
  const inLane = createLanes()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const done: string[] = []
  const blocked = inLane('a', async () => {
    await gate
    done.push('a1')
  })
  const failing = inLane('a', async () => {
    done.push('a2')
    throw new Error('a2 fails')
  })
  const last = inLane('a', async () => done.push('a3'))
  await inLane('b', async () => done.push('b1'))
  expect(done).toEqual(['b1'])
  open()
  await expect(failing).rejects.toThrow('a2 fails')
  await Promise.all([blocked, last])
  expect(done).toEqual(['b1', 'a1', 'a2', 'a3'])
})
