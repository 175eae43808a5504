import { isHostName } from '../config/hosts.ts'

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']
/** Valid Host headers seen before, so that the usual one costs a look-up; bounded because ports vary. */
const CACHED_MAX = 1_000

/**
 * Whether a request names one of our hosts, with any port: `PUBLIC_HOSTS`, in development the loopback names too.
 * Two Host headers arrive joined by a comma and are no host name; a missing one is none either.
 */
export function hostCheck({ publicHosts, loopback }: { publicHosts: readonly string[]; loopback: boolean }) {
  const known = new Set(publicHosts.map((host) => host.toLowerCase()))
  if (loopback) for (const name of LOOPBACK_NAMES) known.add(name)
  const cached = new Set<string>()
  return (headers: Headers): boolean => {
    const given = headers.get('host') ?? ''
    if (cached.has(given)) return true
    const name = given.toLowerCase().replace(/:\d{1,5}$/, '')
    if (!isHostName(name) || !known.has(name)) return false
    if (cached.size < CACHED_MAX) cached.add(given)
    return true
  }
}
