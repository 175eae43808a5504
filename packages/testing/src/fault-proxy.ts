import { connect, createServer, type Server, type Socket } from 'node:net'
import { becomesFree, newPort } from '@palanquin/embedded/port'

/**
 * - `pass`: bytes go through.
 * - `refuse`: connections are refused; connections under way are reset.
 * - `stall`: connections are accepted and kept, and no byte moves either way.
 * - `reset`: connections under way are reset, new ones right after they were accepted.
 * - `slow`: every piece of data waits `delayMs` in either direction.
 * - `drop-reply`: what the client says arrives; the first answer to it is thrown away and the connection reset.
 * - `cut`: of what the client says on a connection from now on so many bytes arrive; then it is reset.
 */
export type Fault =
  | 'pass'
  | 'refuse'
  | 'stall'
  | 'reset'
  | 'drop-reply'
  | { slow: { delayMs: number } }
  | { cut: { afterBytes: number } }

export type FaultProxy = {
  port: number
  /** The target's address with the proxy in its place. */
  url: string
  set: (fault: Fault) => Promise<void>
  /** Connections that are open through the proxy now. */
  connections: () => number
  /** Answers that `drop-reply` has thrown away so far. */
  dropped: () => number
  close: () => Promise<void>
}

type Pair = { client: Socket; upstream: Socket }

/**
 * A TCP proxy on loopback between a client and a store (`postgres://…`, `redis://…`, `http://…`) or a service's Unix socket
 * (`unix:/path`; its address here is then an `http://` one) that misbehaves on demand. `rewrite` sees every piece of an
 * answer and may put another in its place.
 */
export async function faultProxy(
  targetUrl: string,
  { rewrite = (bytes) => bytes }: { rewrite?: (answer: Buffer) => Buffer } = {},
): Promise<FaultProxy> {
  const unix = targetUrl.startsWith('unix:') ? targetUrl.slice('unix:'.length) : undefined
  const target = new URL(unix === undefined ? targetUrl : 'http://127.0.0.1')
  const targetPort = Number(target.port)
  if (unix === undefined && !targetPort) throw new RangeError('the address of a proxied store names its port')
  const pairs = new Set<Pair>()
  let fault: Fault = 'pass'
  let dropped = 0
  const delayMs = () => (typeof fault === 'object' && 'slow' in fault ? fault.slow.delayMs : 0)

  const accept = (client: Socket) => {
    if (fault === 'reset') return void client.resetAndDestroy()
    const upstream = connect(
      unix === undefined ? { host: target.hostname, port: targetPort } : { path: unix },
    )
    const pair = { client, upstream }
    pairs.add(pair)
    const cut = () => {
      pairs.delete(pair)
      reset(pair)
    }
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      if (fault === 'stall') socket.pause()
      // An error here is the fault that was asked for, or its echo on the other side.
      socket.on('error', cut)
      socket.on('close', () => client.destroyed && upstream.destroyed && pairs.delete(pair))
    }
    let spent = { under: fault, bytes: 0 }
    forward(client, upstream, delayMs, (bytes) => {
      if (typeof fault !== 'object' || !('cut' in fault)) return bytes
      if (spent.under !== fault) spent = { under: fault, bytes: 0 }
      const left = fault.cut.afterBytes - spent.bytes
      spent.bytes += bytes.length
      if (bytes.length <= left) return bytes
      // The end of what may still arrive; a reset could overtake it.
      upstream.end(bytes.subarray(0, Math.max(0, left)))
      client.resetAndDestroy()
      return null
    })
    forward(upstream, client, delayMs, (bytes) => {
      if (fault !== 'drop-reply') return rewrite(bytes)
      dropped++
      cut()
      return null
    })
  }

  const server = createServer({ allowHalfOpen: true }, accept)
  // It is given up while the proxy refuses connections.
  const port = await listen(server, (await newPort()) ?? 0)
  const resetAll = () => {
    for (const pair of pairs) reset(pair)
    pairs.clear()
  }
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    port,
    url: url.href,
    connections: () => pairs.size,
    dropped: () => dropped,
    set: async (next) => {
      const wasClosed = fault === 'refuse'
      fault = next
      if (next === 'refuse') server.close()
      else if (wasClosed) await listenAgain(server, port)
      if (next === 'refuse' || next === 'reset') resetAll()
      for (const { client, upstream } of pairs)
        for (const socket of [client, upstream]) next === 'stall' ? socket.pause() : socket.resume()
    },
    close: async () => {
      if (server.listening) server.close()
      resetAll()
    },
  }
}

/** Passes bytes on, and the end behind them, in order and each after the delay of its moment. */
function forward(
  from: Socket,
  to: Socket,
  delayMs: () => number,
  admit: (bytes: Buffer) => Buffer | null,
): void {
  let before: Promise<unknown> = Promise.resolve()
  const then = (act: () => void) => {
    const ms = delayMs()
    before = before.then(() => (ms > 0 ? Bun.sleep(ms) : undefined)).then(() => to.destroyed || act())
  }
  from.on('data', (bytes: Buffer) => {
    const admitted = admit(bytes)
    if (admitted) then(() => to.write(admitted))
  })
  from.on('end', () => then(() => to.end()))
}

function reset({ client, upstream }: Pair): void {
  client.resetAndDestroy()
  upstream.resetAndDestroy()
}

/** Somebody else who looks for a free port may have this one for a moment. */
async function listenAgain(server: Server, port: number): Promise<void> {
  if (!(await becomesFree(port))) throw new Error(`another program has taken the proxy's port ${port}`)
  await listen(server, port)
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
