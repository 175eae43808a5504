import { readStartedAt } from '@palanquin/embedded/process-table'

/** One process that the supervisor starts, watches, restarts and stops. */
export type Unit = {
  name: string
  /** Resolves once it serves; rejects with a sentence when it does not start. */
  start: (options: StartOptions) => Promise<Running>
  /**
   * Replaces the running process; resolves once the new one serves. Without it, the old process is stopped
   * and a new one started. A rejection has left the old process running, or has ended it.
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

/** Remembers the identity of a pid, so that a later process with the same pid is not mistaken for it. */
export function watchPid(pid: number): () => boolean {
  const startedAt = readStartedAt(pid)
  return () => startedAt !== undefined && readStartedAt(pid) === startedAt
}
