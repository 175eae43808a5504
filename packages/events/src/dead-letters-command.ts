import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'

const CONNECT_MS_MAX = 5_000
const CONNECT_PAUSE_MS = 20

/** A place of dead letters, and what an operator can do there. */
export type DeadLetterPlace<Letter> = {
  /** What lies there: one, several. */
  called: readonly [string, string]
  usage: string
  /** A page, oldest first; `next` is null at the end. */
  page: (redis: Redis, after: string) => Promise<{ letters: Letter[]; next: string | null }>
  idOf: (letter: Letter) => string
  /** Without personal data. */
  lineOf: (letter: Letter) => string
  /** False when there is no such letter. */
  requeue: (redis: Redis, id: string) => Promise<boolean>
  discard: (redis: Redis, id: string) => Promise<boolean>
}

/** Runs `list`, `show`, `requeue` or `discard` against the Redis of REDIS_URL, and ends the process. */
export function runDeadLettersCommand<Letter>(place: DeadLetterPlace<Letter>): void {
  command(place, process.argv[2], process.argv[3]).then(
    (code) => process.exit(code),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error)
      process.exit(1)
    },
  )
}

async function command<Letter>(
  place: DeadLetterPlace<Letter>,
  verb: string | undefined,
  id: string | undefined,
): Promise<number> {
  const url = process.env.REDIS_URL
  if (!url || !verb || !['list', 'show', 'requeue', 'discard'].includes(verb)) {
    console.error(url ? place.usage : 'REDIS_URL says where the Redis is; it is not set.')
    return 2
  }
  const log = createLog({ service: 'dead-letters', level: 'silent' })
  const redis = connectRedis({ url, name: 'dead-letters', log })
  try {
    if (await connected(redis)) return await perform(place, redis, { verb, id: id ?? '' })
    console.error('Redis cannot be reached at REDIS_URL.')
    return 1
  } finally {
    redis.destroy()
  }
}

async function perform<Letter>(
  place: DeadLetterPlace<Letter>,
  redis: Redis,
  { verb, id }: { verb: string; id: string },
): Promise<number> {
  if (verb === 'discard') return say(place, await place.discard(redis, id), { id, done: `${id} is gone.` })
  if (verb === 'requeue' && id !== 'all')
    return say(place, await place.requeue(redis, id), { id, done: `${id} is back in the stream.` })
  const letters = await allLetters(place, redis)
  if (verb === 'show') {
    const letter = letters.find((one) => place.idOf(one) === id)
    return say(place, letter !== undefined, { id, done: JSON.stringify(letter, null, 2) })
  }
  for (const letter of letters) {
    if (verb === 'requeue') await place.requeue(redis, place.idOf(letter))
    else console.log(place.lineOf(letter))
  }
  const [one, several] = place.called
  const back = verb === 'requeue' ? ' put back in the stream' : ''
  console.log(`${letters.length} ${letters.length === 1 ? one : several}${back}.`)
  return 0
}

/** Only those that are there now: what dies again meanwhile comes behind the last. */
async function allLetters<Letter>(place: DeadLetterPlace<Letter>, redis: Redis): Promise<Letter[]> {
  const found: Letter[] = []
  let after: string | null = ''
  while (after !== null) {
    const page: Awaited<ReturnType<typeof place.page>> = await place.page(redis, after)
    found.push(...page.letters)
    after = page.next
  }
  return found
}

function say(
  { called: [one] }: Pick<DeadLetterPlace<unknown>, 'called'>,
  isThere: boolean,
  { id, done }: { id: string; done: string },
): number {
  if (isThere) console.log(done)
  else console.error(`There is no ${one} ${id}; "list" shows them.`)
  return isThere ? 0 : 1
}

async function connected(redis: Redis): Promise<boolean> {
  const deadline = performance.now() + CONNECT_MS_MAX
  while (!redis.isReady && performance.now() < deadline) await Bun.sleep(CONNECT_PAUSE_MS)
  return redis.isReady
}
