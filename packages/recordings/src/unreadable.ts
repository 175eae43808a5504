/** A file that cannot be read. The message is a sentence for the person who sent it. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}
