import type { Log } from '../log.ts'

/** A chunk for every few bytes costs more than the bytes. */
const PIECE_CHARACTERS_MIN = 65_536

/** An answer that is made while it is sent. A lost store is a 503, or later a broken connection. */
export async function textStream(
  pieces: AsyncIterator<string>,
  { headers, log }: { headers: Record<string, string>; log: Log },
): Promise<Response> {
  const encoder = new TextEncoder()
  const next = async (): Promise<string | null> => {
    let text = ''
    while (text.length < PIECE_CHARACTERS_MIN) {
      const piece = await pieces.next()
      if (piece.done) return text === '' ? null : text
      text += piece.value
    }
    return text
  }
  let made: string | null = await next()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const text = made ?? (await next())
          made = null
          if (text === null) controller.close()
          else controller.enqueue(encoder.encode(text))
        } catch (error) {
          log.error({ event: 'response.broken_off', err: error }, 'A streamed response broke off')
          controller.error(new Error('the answer broke off'))
        }
      },
      cancel: async () => {
        await pieces.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}
