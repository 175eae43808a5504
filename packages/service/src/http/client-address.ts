const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
/** The half of an IPv6 address that one household or phone is given. */
const NETWORK_GROUPS = 4

/** What a client address counts as: an IPv4 address, or the /64 of an IPv6 address. */
export function countedAs(address: string): string {
  if (!address.includes(':')) return address
  const mapped = MAPPED_IPV4.exec(address)?.[1]
  if (mapped) return mapped
  const [bare = ''] = address.split('%') // without the zone of a link-local address
  const [head = '', tail] = bare.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
