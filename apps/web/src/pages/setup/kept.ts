import type { IssuedDevice } from '../../api/devices.ts'
import type { Phone } from './apps.ts'

const KEY = 'setup-key'
const CHOSEN = 'setup-chosen'
const KEY_BYTES = 16

/** What was chosen by a link, until the tab is closed: the token is shown once. */
export type Chosen = { code: string; atMs: number; phone: Phone; device: IssuedDevice }

/** The code in the address of this page; null without one. */
export const codeOf = (pathname: string): string | null =>
  /^\/setup\/([0-9A-Za-z]{22})$/.exec(pathname)?.[1] ?? null

/** The secret by which this browser is known again when the page is opened anew. */
export function setupKey(): string {
  const known = localStorage.getItem(KEY)
  if (known !== null) return known
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES))
  const key = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  localStorage.setItem(KEY, key)
  return key
}

export const keepChosen = (chosen: Chosen): void => sessionStorage.setItem(CHOSEN, JSON.stringify(chosen))

/** What this tab chose by a link, if it did. */
export function chosenBy(code: string): Chosen | null {
  const text = sessionStorage.getItem(CHOSEN)
  if (text === null) return null
  const chosen: Chosen = JSON.parse(text)
  return chosen.code === code ? chosen : null
}
