import { lookup } from 'node:dns/promises'
import { type CopyAddress, copiesOf } from '@palanquin/service/http/copies'

/** The copies of a service, by comma; a name may stand for several. Rejects where one does not resolve. */
export async function everyCopy(urls: string): Promise<CopyAddress[]> {
  return (await Promise.all(copiesOf(urls).map(everyMachine))).flat()
}

/** One address per machine: IPv6 only where there is no IPv4. */
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
