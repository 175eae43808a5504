/** Where one copy of a service listens. `init` goes into `fetch`. */
export type Address = { origin: string; init: { unix?: string } }

/**
 * The copies of a service, from `TRACKING_URL` and its like: `unix:/path` or `http://host:port`, several by comma.
 * Undefined if one of them is neither.
 */
export function parseAddresses(text: string): Address[] | undefined {
  const addresses: Address[] = []
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const address = parseAddress(part)
    if (!address) return undefined
    addresses.push(address)
  }
  return addresses
}

function parseAddress(text: string): Address | undefined {
  if (text.startsWith('unix:/'))
    return { origin: 'http://service.internal', init: { unix: text.slice('unix:'.length) } }
  if (!URL.canParse(text)) return undefined
  const { protocol, origin, pathname, search, hash, username } = new URL(text)
  const plain = protocol === 'http:' && pathname === '/' && search + hash + username === ''
  return plain ? { origin, init: {} } : undefined
}
