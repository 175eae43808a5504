import type { Commands, ReadStreams, StreamEntries } from './redis-commands.ts'

/** How often a cluster is polled: a read that waits would need a connection of its own on each node. */
const LOOK_EVERY_MS = 50

/** One server: one read over all streams, which waits there. */
export function readAtOnce(client: Pick<Commands, 'xRead'>): ReadStreams {
  return async (streams, { count, waitMs }) =>
    entriesOf(
      await client.xRead(streams, { COUNT: count, ...(waitMs === undefined ? {} : { BLOCK: waitMs }) }),
    )
}

/** A cluster takes a read over streams of one slot only, also when one node holds them all. */
export function readOneByOne(client: Pick<Commands, 'xRead'>): ReadStreams {
  return async (streams, { count, waitMs = 0 }) => {
    const deadline = performance.now() + waitMs
    for (;;) {
      const replies = await Promise.all(streams.map((stream) => client.xRead(stream, { COUNT: count })))
      const read = replies.flatMap(entriesOf)
      if (read.length > 0 || performance.now() >= deadline) return read
      await Bun.sleep(LOOK_EVERY_MS)
    }
  }
}

function entriesOf(reply: Awaited<ReturnType<Commands['xRead']>>): StreamEntries[] {
  if (!Array.isArray(reply)) return []
  return reply.map(({ name, messages }) => ({ key: String(name), entries: messages }))
}
