import { createHash } from 'node:crypto'
import type { Redis } from '@palanquin/service/redis'
import { ErrorReply } from 'redis'

export type Script = { readonly lua: string; readonly sha: string }

export const defineScript = (lua: string): Script => ({
  lua,
  sha: createHash('sha1').update(lua).digest('hex'),
})

/**
 * Runs a script by its hash; Redis learns it anew when it does not know it (after a restart or SCRIPT FLUSH). Calls of
 * one turn of the event loop travel in one pipeline, in their order.
 */
export async function runScript(
  redis: Redis,
  { lua, sha }: Script,
  { keys, args }: { keys: string[]; args: string[] },
): Promise<unknown> {
  const [key = ''] = keys
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await redis.send(key, ['EVALSHA', sha, ...rest])
  } catch (error) {
    if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error
    return await redis.send(key, ['EVAL', lua, ...rest])
  }
}
