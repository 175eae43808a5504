const KEY = 'palanquin.participant'
const LENGTH = 22
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

/** The participant of this phone: made at the first write, kept in its storage, and never part of an address. */
export function ownParticipant(): string {
  const kept = localStorage.getItem(KEY)
  if (kept !== null) return kept
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH))
  const made = `w_${[...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join('')}`
  localStorage.setItem(KEY, made)
  return made
}
