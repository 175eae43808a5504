/**
 * Whether work that was just begun settles before a timer of so many milliseconds fires, which is armed now. For deadlines of this
 * process: timers fire in the order in which they are due, however late a busy machine lets them, so that a deadline
 * that is shorter is always first. Work that waits for other processes gets no deadline by this.
 */
export async function settlesBefore(work: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([settled, late])
  } finally {
    clearTimeout(timer)
  }
}
