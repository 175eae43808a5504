/** A call that did not settle in its time. The work may still finish behind it. */
export class DeadlineExceeded extends Error {
  constructor(
    readonly what: string,
    readonly deadlineMs: number,
  ) {
    super(`${what} did not answer within ${deadlineMs} ms`)
    this.name = 'DeadlineExceeded'
  }
}

/** Settles as `work`, or rejects with DeadlineExceeded; `onLate` gets what `work` rejects with after that. */
export function withDeadline<T>(
  work: PromiseLike<T>,
  { what, deadlineMs, onLate }: { what: string; deadlineMs: number; onLate?: (error: unknown) => void },
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let expired = false
    const timer = setTimeout(() => {
      expired = true
      reject(new DeadlineExceeded(what, deadlineMs))
    }, deadlineMs)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        if (expired) onLate?.(error)
        else reject(error)
      },
    )
  })
}
