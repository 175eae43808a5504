import { withoutTrailingSlash } from '@palanquin/service/base-url'

/** Pages that a message may lead to; null where no address for them is configured. */
export type Links = {
  page: (name: 'map' | 'survey' | 'feedback') => string | null
}

/** Pages stand behind LIFF_URL, which opens them inside LINE, or else behind PUBLIC_BASE_URL. */
export function linksOf({
  liffUrl,
  baseUrl,
}: {
  liffUrl: string | undefined
  baseUrl: string | undefined
}): Links {
  const address = liffUrl ?? baseUrl
  const pages = address === undefined ? null : withoutTrailingSlash(address)
  return {
    page: (name) => (pages === null ? null : `${pages}/${name}`),
  }
}
