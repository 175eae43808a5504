/** A reply of Redis as a map: alternating names and values, pairs, or a map (RESP3). */
export function redisFields(reply: unknown): Map<string, unknown> {
  if (!Array.isArray(reply))
    return new Map(typeof reply === 'object' && reply !== null ? Object.entries(reply) : [])
  const pairs = reply.flatMap((name: unknown, at): [string, unknown][] =>
    at % 2 === 0 ? [[String(name), reply[at + 1]]] : [],
  )
  return new Map(pairs)
}
