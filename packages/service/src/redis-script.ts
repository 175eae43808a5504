import { createHash } from 'node:crypto'
import { ErrorReply } from 'redis'
import type { Redis } from './redis.ts'

export type Script = { readonly lua: string; readonly sha: string; readonly suffix: '' | '_RO' }

/** `readOnly`: keys that are another service's to write may be named in no other script. */
export const defineScript = (lua: string, { readOnly = false }: { readOnly?: boolean } = {}): Script => ({
  lua,
  sha: createHash('sha1').update(lua).digest('hex'),
  suffix: readOnly ? '_RO' : '',
})

/** Runs a script by its hash, and loads it where Redis does not know it. Calls of a tick share a pipeline. */
export async function runScript(
  redis: Redis,
  { lua, sha, suffix }: Script,
  { keys, args }: { keys: readonly string[]; args: readonly string[] },
): Promise<unknown> {
  const [key = ''] = keys
  const rest = [String(keys.length), ...keys, ...args]
  // The client's own `evalSha` costs a quarter more (measured).
  try {
    return await redis.send(key, [`EVALSHA${suffix}`, sha, ...rest])
  } catch (error) {
    if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error
    return await redis.send(key, [`EVAL${suffix}`, lua, ...rest])
  }
}
