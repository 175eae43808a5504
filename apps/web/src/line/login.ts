import { nowMs } from '../api/server-clock.ts'
import { fact } from '../parts/fact.ts'

/** What a sign-in is for: to be that person, or to join this phone's walk to the LINE id. */
export type Intent = 'sign-in' | 'join'
/** What LINE Login sent the browser back with. */
export type Returned = { code: string; state: string } | { refused: true }
/** What the sign-in began with, kept on the phone: LINE's app may come back in another tab. */
type Started = { state: string; verifier: string; redirectUri: string; intent: Intent; atMs: number }
export type LineCode = { code: string; verifier: string; redirectUri: string }

const KEPT = 'line-login'
/** As long as LINE's codes. */
const LIFETIME_MS = 600_000
const SECRET_BYTES = 32

/** Whether LINE Login is set up for this event. */
export const hasLineLogin = (): boolean => fact('line-login') !== ''

/** Leaves for LINE's page, which comes back to `/me` with a code for the verifier kept here (PKCE). */
export async function leaveForLine(intent: Intent, language: string): Promise<void> {
  const [state, verifier] = [secret(), secret()]
  const redirectUri = `${location.origin}/me`
  const started: Started = { state, verifier, redirectUri, intent, atMs: nowMs() }
  localStorage.setItem(KEPT, JSON.stringify(started))
  const address = new URL(fact('line-login'))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const query = {
    response_type: 'code',
    redirect_uri: redirectUri,
    state,
    scope: 'openid profile',
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ui_locales: language,
  }
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  location.assign(address)
}

/** Takes what LINE Login came back with out of the address. */
export function takeReturned(): Returned | null {
  const query = new URLSearchParams(location.search)
  const [code, state] = [query.get('code'), query.get('state')]
  if (state === null || (code === null && !query.has('error'))) return null
  for (const name of [
    'code',
    'state',
    'error',
    'error_description',
    'friendship_status_changed',
    'liffClientId',
  ])
    query.delete(name)
  const rest = query.toString()
  history.replaceState(history.state, '', location.pathname + (rest === '' ? '' : `?${rest}`))
  return code === null ? { refused: true } : { code, state }
}

/** The code with what this phone began the sign-in with, once; null for none, another, or too long ago. */
export function lineCodeOf(returned: Returned): (LineCode & { intent: Intent }) | null {
  const kept = localStorage.getItem(KEPT)
  localStorage.removeItem(KEPT)
  if (kept === null || 'refused' in returned) return null
  // Written above.
  const started = JSON.parse(kept) as Started
  if (started.state !== returned.state || nowMs() - started.atMs > LIFETIME_MS) return null
  const { verifier, redirectUri, intent } = started
  return { code: returned.code, verifier, redirectUri, intent }
}

const secret = (): string => base64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
