import { identify } from '@palanquin/embedded/process'

/** One process that the supervisor starts, watches, starts again and stops. */
export type Unit = {
  name: string
  /** Resolves once it serves; rejects with a sentence when it does not come up. */
  start: (options: StartOptions) => Promise<Running>
  /**
   * Puts a new process in the place of the one that runs; resolves once that serves. Left out, the old one is stopped and
   * another started. What rejects has left the old one as it was, or has ended it.
   */
  replace?: (options: StartOptions) => Promise<Running>
}

export type StartOptions = { detail: (text: string) => void; signal?: AbortSignal | undefined }

export type Running = {
  pid: number
  /** False once that very process has ended; a stopped one (SIGSTOP) is alive. */
  isAlive: () => boolean
  stop: () => Promise<void>
}

/** Remembers which process has a pid now, so that a later owner of the same pid is not taken for it. */
export function watchPid(pid: number): () => boolean {
  const startedAt = identify(pid)?.startedAt
  return () => startedAt !== undefined && identify(pid)?.startedAt === startedAt
}
