/** What a user sent, out of an answer of the data host. */
export type Content = Uint8Array<ArrayBuffer> | 'preparing' | 'too-large'

/** LINE answers so while it still prepares a film. */
const PREPARING = 202

/** Reads at most `bytesMax` bytes; a larger content is left where it is. */
export async function readContent(answer: Response, bytesMax: number): Promise<Content> {
  if (answer.status === PREPARING) {
    await answer.arrayBuffer()
    return 'preparing'
  }
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of answer.body ?? []) {
    length += piece.byteLength
    // Leaving the loop cancels the rest.
    if (length > bytesMax) return 'too-large'
    pieces.push(piece)
  }
  return new Uint8Array(Buffer.concat(pieces))
}
