import { fact } from '../parts/fact.ts'

/** As much of LINE's script as is used. */
type Liff = {
  init: (options: { liffId: string }) => Promise<void>
  isLoggedIn: () => boolean
  getIDToken: () => string | null
}
declare global {
  interface Window {
    liff?: Liff
  }
}

/** A slow LINE does not hold up the page: there are other ways to sign in. */
const PATIENCE_MS = 8_000
const MARKS = ['liff.state', 'liff.referrer', 'liff']

/** Whether this document was opened inside LINE, and may load its script. */
export const isLiffPage = (): boolean => {
  const query = new URLSearchParams(location.search)
  return fact('liff-id') !== '' && MARKS.some((mark) => query.has(mark))
}

/** The address with the mark by which a page in LINE's browser may load LINE's script. */
export const liffAddress = (): string | null => {
  if (isLiffPage() || fact('liff-id') === '' || !/\bLIFF\b/.test(navigator.userAgent)) return null
  const address = new URL(location.href)
  address.searchParams.set('liff', '1')
  return address.href
}

/** The ID token of the person; null outside of LINE, or when LINE does not say it in time. */
export function liffIdToken(): Promise<string | null> {
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE_MS))
  const asked = askLiff().catch((error: unknown) => {
    console.warn('LINE does not say who this is', error)
    return null
  })
  return Promise.race([asked, late])
}

async function askLiff(): Promise<string | null> {
  await loadSdk()
  const { liff } = window
  if (liff === undefined) throw new Error('the script of LINE has no liff')
  await liff.init({ liffId: fact('liff-id') })
  return liff.isLoggedIn() ? liff.getIDToken() : null
}

const loadSdk = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = fact('liff-sdk')
    script.onload = () => resolve()
    script.onerror = () => reject(new Error('the script of LINE cannot be loaded'))
    document.head.append(script)
  })
