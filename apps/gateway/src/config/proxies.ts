import { BlockList, isIP } from 'node:net'

type Network = { address: string; bits: number; family: 'ipv4' | 'ipv6' }

/** The problems of `TRUST_PROXY`, a list of networks in CIDR notation or of single addresses. */
export const proxyProblems = (networks: readonly string[]): string[] =>
  networks
    .filter((network) => !parseNetwork(network))
    .map((network) => `TRUST_PROXY: ${network} is not a network like 10.0.0.0/8 or fd00::/8`)

/** Whether an address lies in one of the networks; an IPv4 address written as IPv6 (::ffff:…) counts as IPv4. */
export function trustedBy(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const text of networks) {
    const network = parseNetwork(text)
    if (network) list.addSubnet(network.address, network.bits, network.family)
  }
  return (address) => list.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}

function parseNetwork(text: string): Network | undefined {
  const [address = '', bitsText, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return undefined
  const most = version === 4 ? 32 : 128
  const bits = bitsText === undefined ? most : Number(bitsText)
  if (bitsText !== undefined && (!/^\d{1,3}$/.test(bitsText) || bits > most)) return undefined
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}
