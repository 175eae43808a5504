import { isHostName } from '../config/hosts.ts'

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']
/** Host headers that were found good, so that the usual one costs a look-up. Ports vary, hence a bound. */
const REMEMBERED_MAX = 1_000

/**
 * Whether a request names one of our hosts, with any port: `PUBLIC_HOSTS`, in development the loopback names too.
 * Two Host headers arrive joined by a comma and are no host name; a missing one is none either.
 */
export function hostCheck({ publicHosts, loopback }: { publicHosts: readonly string[]; loopback: boolean }) {
  const known = new Set(publicHosts.map((host) => host.toLowerCase()))
  if (loopback) for (const name of LOOPBACK_NAMES) known.add(name)
  const remembered = new Set<string>()
  return (headers: Headers): boolean => {
    const given = headers.get('host') ?? ''
    if (remembered.has(given)) return true
    const name = given.toLowerCase().replace(/:\d{1,5}$/, '')
    if (!isHostName(name) || !known.has(name)) return false
    if (remembered.size < REMEMBERED_MAX) remembered.add(given)
    return true
  }
}
