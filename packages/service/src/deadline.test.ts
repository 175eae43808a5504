import { expect, test } from 'bun:test'
import { DeadlineExceeded, withDeadline } from './deadline.ts'

test('work that is in time passes its value or its error on', async () => {
  expect(await withDeadline(Promise.resolve(7), { what: 'it', deadlineMs: 1000 })).toBe(7)
  await expect(
    withDeadline(Promise.reject(new Error('no')), { what: 'it', deadlineMs: 1000 }),
  ).rejects.toThrow('no')
})

test('work that never settles is given up at the deadline, by name', async () => {
  const never = new Promise<void>(() => {})
  const failure = await withDeadline(never, { what: 'Redis', deadlineMs: 20 }).catch(
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(DeadlineExceeded)
  expect(String(failure)).toContain('Redis did not answer within 20 ms')
})

test('a rejection after the deadline is handed to onLate and ends nothing', async () => {
  const { promise, reject } = Promise.withResolvers<void>()
  const late = Promise.withResolvers<unknown>()
  const guarded = withDeadline(promise, { what: 'it', deadlineMs: 5, onLate: late.resolve })
  await guarded.catch(() => {})
  reject(new Error('too late'))
  expect(String(await late.promise)).toContain('too late')
})
