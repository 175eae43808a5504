/** Where a Redis is: one address is a server, several are nodes by which a cluster is found. */
export type RedisAddresses = {
  nodes: readonly { host: string; port: number }[]
  username?: string
  password?: string
  tls: boolean
}

const PORT = 6379
const SCHEME = /^rediss?:\/\//

/** Reads `redis://user:password@one:7000,two:7000`; the user is that of all nodes. @throws TypeError */
export function readAddresses(url: string): RedisAddresses {
  const parts = url.split(',').map((part) => part.trim())
  const scheme = SCHEME.exec(parts[0] ?? '')?.[0]
  if (!scheme) throw new TypeError('REDIS_URL must begin with redis:// or rediss://')
  const addresses = parts
    .filter((part) => part !== '')
    .map((part) => addressOf(SCHEME.test(part) ? part : scheme + part))
  const [{ username, password } = { username: '', password: '' }] = addresses
  return {
    nodes: addresses.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || PORT,
    })),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    tls: scheme === 'rediss://',
  }
}

export const isCluster = (url: string): boolean => url.includes(',')

function addressOf(url: string): URL {
  const address = URL.parse(url)
  if (!address?.hostname) throw new TypeError('REDIS_URL holds an address that cannot be read')
  return address
}
