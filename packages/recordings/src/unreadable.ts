/** `damaged`: broken, or cut off before its first point; `refused`: what no recorder writes. */
export const UNREADABLE_CODES = [
  'unknown_format',
  'zip_without_kml',
  'damaged',
  'refused',
  'too_large',
] as const
export type UnreadableCode = (typeof UNREADABLE_CODES)[number]

/** A file that cannot be read. The message is a sentence for the person who sent it. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'

  constructor(
    readonly code: UnreadableCode,
    message: string,
  ) {
    super(message)
  }
}
