/** Only to resolve a path: nothing is asked of it. */
const BASE = 'https://page.invalid'

/** Where a page that LINE opened (`/?liff.state=%2Fmap`) goes on to; null unless it is one of our pages. */
export function liffTarget(search: string, pages: readonly string[]): string | null {
  const state = new URLSearchParams(search).get('liff.state')
  if (state === null || !/^\/[a-z]/.test(state)) return null
  const { origin, pathname, searchParams, hash } = new URL(state, BASE)
  if (origin !== BASE || !pages.includes(pathname)) return null
  searchParams.set('liff', '1')
  return `${pathname}?${searchParams}${hash}`
}
