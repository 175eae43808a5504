import { expect } from 'bun:test'
import { type MapProcess, TOKEN } from './harness.ts'
import type { MapData } from './map-harness.ts'

export type MapEvent = { id: string; event: string; data: MapData }

/** Opens a stream of a map and collects its events. */
export async function listenTo(map: Pick<MapProcess, 'app'>, query = '', headers = {}) {
  const response = await map.app.fetch(
    new Request(`http://tracking/data/stream${query}`, {
      headers: { 'x-internal-token': TOKEN, ...headers },
    }),
  )
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toStartWith('text/event-stream')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const events: MapEvent[] = []
  const comments: string[] = []
  let ended = false
  void (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        if (block.startsWith(':')) comments.push(block)
        else {
          const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
          events.push({ ...fields, data: JSON.parse(fields.data) } as MapEvent)
        }
      }
    }
    ended = true
  })()
  return { events, comments, ended: () => ended, close: () => reader.cancel() }
}
