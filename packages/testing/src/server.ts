import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SupervisedServer, startSupervised, stopSupervised } from './server-supervisor.ts'
import { until } from './until.ts'

/** A real server that one test file has to itself, to be killed, suspended and brought back at will. */
export type TestServer = {
  /** The same before and after `restart`. */
  url: string
  port: number
  pid: () => number
  /** Of all its processes: the nodes, where it is a cluster. */
  pids: () => readonly number[]
  /** SIGKILL, as a crash would; resolves when the process is gone. */
  kill9: () => Promise<void>
  /** SIGSTOP: connections stay open and nothing answers. */
  suspend: () => void
  /** SIGCONT. */
  resume: () => void
  /** Starts it again on its data and port after `kill9`. */
  restart: () => Promise<void>
  /** Ends it and removes its data. */
  close: () => Promise<void>
}

/** An empty folder of its own for a throwaway server. */
export const newServerFolder = (kind: SupervisedServer['kind']): string =>
  mkdtempSync(join(tmpdir(), `palanquin-test-${kind}-`))

/** Starts a server; it does not outlive the test process. */
export async function startTestServer(server: SupervisedServer): Promise<TestServer> {
  const { kind } = server
  let current = await startSupervised(server)
  const { url, port } = current
  return {
    url,
    port,
    pid: () => current.pid,
    pids: () => [current.pid],
    kill9: async () => {
      const { pid } = current
      process.kill(pid, 'SIGKILL')
      await until(() => !runs(pid), { what: `the end of the ${kind} server ${pid}` })
    },
    suspend: () => void process.kill(current.pid, 'SIGSTOP'),
    resume: () => void process.kill(current.pid, 'SIGCONT'),
    restart: async () => {
      current = await startSupervised(server)
      if (current.url !== url) throw new Error(`somebody took port ${port} while the ${kind} server was away`)
    },
    close: () => stopSupervised(server),
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // ESRCH: gone, and reaped by the supervisor
  }
}
