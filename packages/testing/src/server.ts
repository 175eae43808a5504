import { rmSync } from 'node:fs'
import { newServerFolder, stopServerIn } from './server-folder.ts'
import { until } from './until.ts'
import { type Guarded, guard, release } from './warden.ts'

/** A real server that one test file has to itself, to be killed, suspended and brought back at will. */
export type TestServer = {
  /** The same before and after `restart`. */
  url: string
  port: number
  pid: () => number
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

type Started = { url: string; port: number; pid: number; stop: () => Promise<void> }

/** Starts a server in a folder of its own; the warden ends it should the test process die. */
export async function startTestServer(
  kind: Guarded['kind'],
  start: (folder: string) => Promise<Started>,
): Promise<TestServer> {
  const folder = newServerFolder(kind)
  guard({ kind, folder })
  let current = await start(folder)
  const { url, port } = current
  return {
    url,
    port,
    pid: () => current.pid,
    kill9: async () => {
      const { pid } = current
      process.kill(pid, 'SIGKILL')
      await until(() => !runs(pid), { what: `the end of the ${kind} server ${pid}` })
    },
    suspend: () => void process.kill(current.pid, 'SIGSTOP'),
    resume: () => void process.kill(current.pid, 'SIGCONT'),
    restart: async () => {
      current = await start(folder)
      if (current.url !== url) throw new Error(`somebody took port ${port} while the ${kind} server was away`)
    },
    close: async () => {
      await stopServerIn({ kind, folder })
      rmSync(folder, { recursive: true, force: true })
      release(folder)
    },
  }
}

/** Whether a process that we started still takes part in anything; one that waits to be reaped does not. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // ESRCH: gone
  }
}
