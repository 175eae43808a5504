import { type Returned, takeReturned } from './login.ts'

let returned: Returned | null = null

/** Called before anything else of the page: the code leaves the address at once. */
export function keepReturned(): void {
  returned = takeReturned()
}

/** What LINE Login came back with, for the part of the page that signs in; once. */
export function consumeReturned(): Returned | null {
  const kept = returned
  returned = null
  return kept
}
