import { type FaultProxy, faultProxy } from './fault-proxy.ts'

/**
 * A fault proxy before a Redis: before its one address, or before every node of a cluster (addresses by comma), all with
 * the same fault. The nodes of a cluster give a client the addresses of the others: these lead to their proxies too,
 * so that nothing goes past them. Another client, with the nodes' own addresses, is not disturbed.
 */
export async function redisProxy(urls: string): Promise<FaultProxy> {
  const targets = urls.split(',')
  const [only] = targets
  if (only !== undefined && targets.length === 1) return faultProxy(only)
  const doors = new Map<string, string>()
  const rewrite = (answer: Buffer) => withProxyAddresses(answer, doors)
  const proxies = await Promise.all(
    targets.map(async (target) => {
      const proxy = await faultProxy(target, { rewrite })
      doors.set(new URL(target).port, String(proxy.port))
      return proxy
    }),
  )
  const all = async (work: (proxy: FaultProxy) => Promise<void>) =>
    void (await Promise.all(proxies.map(work)))
  const sum = (count: (proxy: FaultProxy) => number) => proxies.reduce((total, one) => total + count(one), 0)
  return {
    port: proxies[0]?.port ?? 0,
    url: proxies.map(({ url }) => url).join(),
    set: (fault) => all((proxy) => proxy.set(fault)),
    connections: () => sum((proxy) => proxy.connections()),
    dropped: () => sum((proxy) => proxy.dropped()),
    close: () => all((proxy) => proxy.close()),
  }
}

/** An address in the map of slots (`127.0.0.1`, then `:7000`), or of where to turn to (`MOVED 5 127.0.0.1:7000`). */
const NODE = /(127\.0\.0\.1(?:\r\n)?:)(\d+)(?=\r\n)/g

/** Neither carries its length, so another port may have more digits. */
function withProxyAddresses(answer: Buffer, doors: ReadonlyMap<string, string>): Buffer {
  if (!answer.includes('127.0.0.1')) return answer
  const text = answer.toString('latin1')
  return Buffer.from(
    text.replace(NODE, (_, host: string, port: string) => `${host}${doors.get(port) ?? port}`),
    'latin1',
  )
}
