import type { Language } from '@palanquin/domain/language'
import { withoutTrailingSlash } from '@palanquin/service/base-url'
import type { PageName } from './vocabulary/command.ts'

/** The address of a page; null where none is configured. It never says whose it is. */
export type Links = {
  page: (name: PageName) => string | null
  /** Where an app is set up by a code. In the phone's own browser: that of LINE opens no other app. */
  setup: (code: string, language: Language) => string | null
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
    setup: (code, language) =>
      baseUrl === undefined
        ? null
        : `${withoutTrailingSlash(baseUrl)}/setup/${code}?lang=${language}&openExternalBrowser=1`,
  }
}
