/** Only to resolve a path: nothing is asked of it. */
const BASE = 'https://page.invalid'

/**
 * Where a page that LINE opened goes on to: LINE asks for `/?liff.state=%2Fmap`. Null unless it names one of our pages, so
 * that a made-up link leads nowhere else.
 * @param search the query, as `location.search` has it
 */
export function liffTarget(search: string, pages: readonly string[]): string | null {
  const state = new URLSearchParams(search).get('liff.state')
  if (state === null || !/^\/[a-z]/.test(state)) return null
  const { origin, pathname, searchParams, hash } = new URL(state, BASE)
  if (origin !== BASE || !pages.includes(pathname)) return null
  searchParams.set('liff', '1')
  return `${pathname}?${searchParams}${hash}`
}
