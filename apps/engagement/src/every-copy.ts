import { lookup } from 'node:dns/promises'
import { type CopyAddress, copiesOf } from '@palanquin/service/http/copies'

/**
 * Every copy of a service that `TRACKING_URL` and its like stand for: `http://host:port` or `unix:/path`, several by comma;
 * a name stands for every machine that it leads to. Rejects where a name leads nowhere.
 */
export async function everyCopy(urls: string): Promise<CopyAddress[]> {
  return (await Promise.all(copiesOf(urls).map(everyMachine))).flat()
}

/** The machines behind a name, each at its own address: one that has an IPv4 address is not asked again at its IPv6. */
async function everyMachine(copy: CopyAddress): Promise<CopyAddress[]> {
  if (copy.unix !== undefined) return [copy]
  const url = new URL(copy.origin)
  const found = await lookup(url.hostname.replace(/^\[|\]$/g, ''), { all: true })
  const v4 = found.filter(({ family }) => family === 4)
  return (v4.length > 0 ? v4 : found).map(({ address, family }) => {
    const host = family === 6 ? `[${address}]` : address
    return { origin: `http://${host}${url.port === '' ? '' : `:${url.port}`}`, unix: undefined }
  })
}
