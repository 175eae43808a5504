import { withoutTrailingSlash } from '@palanquin/service/base-url'

/** Pages and pictures that a message may lead to; null where no address for them is configured. */
export type Links = {
  page: (name: 'map' | 'survey' | 'feedback') => string | null
  card: (userId: string, version: number) => string | null
}

/** Pages stand behind LIFF_URL, which opens them inside LINE, or else behind PUBLIC_BASE_URL. LINE shows https pictures alone. */
export function linksOf({
  liffUrl,
  baseUrl,
  brand,
}: {
  liffUrl: string | undefined
  baseUrl: string | undefined
  brand: string
}): Links {
  const address = liffUrl ?? baseUrl
  const pages = address === undefined ? null : withoutTrailingSlash(address)
  const pictures = baseUrl === undefined ? null : withoutTrailingSlash(baseUrl)
  return {
    page: (name) => (pages === null ? null : `${pages}/${name}`),
    // LINE keeps a picture by its address: a card that has changed needs another one.
    card: (userId, version) =>
      pictures?.startsWith('https://') ? `${pictures}/api/${brand}/og/${userId}.png?v=${version}` : null,
  }
}
