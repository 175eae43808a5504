import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { type DeadLetter, discardDeadLetter, listDeadLetters, requeueDeadLetter } from './dead-letters.ts'

const CONNECT_MS_MAX = 5_000
const CONNECT_PAUSE_MS = 20

const USAGE = `Dead letters: events that a consumer could not take in.
  list             one line each
  show <id>        everything about one, personal data included
  requeue <id>     puts it back for its group; "requeue all" puts all back
  discard <id>     throws it away for good`

/** Runs one command against the Redis of REDIS_URL and gives the exit code. */
async function main(command: string | undefined, id: string | undefined): Promise<number> {
  const url = process.env.REDIS_URL
  if (!url || !command || !['list', 'show', 'requeue', 'discard'].includes(command)) {
    console.error(url ? USAGE : 'REDIS_URL says where the Redis is; it is not set.')
    return 2
  }
  const redis = connectRedis({
    url,
    name: 'dead-letters',
    log: createLog({ service: 'dead-letters', level: 'silent' }),
  })
  try {
    if (!(await connected(redis))) {
      console.error('Redis cannot be reached at REDIS_URL.')
      return 1
    }
    return await perform(redis, command, id ?? '')
  } finally {
    redis.destroy()
  }
}

async function perform(redis: Redis, command: string, id: string): Promise<number> {
  if (command === 'discard') return say(await discardDeadLetter(redis, id), `${id} is gone.`, id)
  if (command === 'requeue' && id !== 'all')
    return say(await requeueDeadLetter(redis, id), `${id} is back in the stream.`, id)
  let count = 0
  for await (const letter of allLetters(redis)) {
    if (command === 'requeue') await requeueDeadLetter(redis, letter.letterId)
    if (command === 'list') console.log(lineOf(letter))
    if (command === 'show') {
      if (letter.letterId !== id) continue
      console.log(JSON.stringify(letter, null, 2))
      return 0
    }
    count++
  }
  if (command === 'show') return say(false, '', id)
  console.log(
    `${count} ${count === 1 ? 'dead letter' : 'dead letters'}${command === 'requeue' ? ' put back in the stream' : ''}.`,
  )
  return 0
}

/** Only those that are there now: what dies again meanwhile comes behind the last. */
async function* allLetters(redis: Redis): AsyncGenerator<DeadLetter> {
  const found: DeadLetter[] = []
  let after: string | null = ''
  while (after !== null) {
    const page: Awaited<ReturnType<typeof listDeadLetters>> = await listDeadLetters(redis, { after })
    found.push(...page.letters)
    after = page.next
  }
  yield* found
}

const lineOf = ({ letterId, failedAt, group, event, attempts, error }: DeadLetter): string =>
  [letterId, failedAt, group, event.type, event.id, `${attempts} tries`, error.replaceAll('\n', ' ')].join(
    '  ',
  )

function say(done: boolean, sentence: string, id: string): number {
  if (done) console.log(sentence)
  else console.error(`There is no dead letter ${id}; "list" shows them.`)
  return done ? 0 : 1
}

async function connected(redis: Redis): Promise<boolean> {
  const deadline = performance.now() + CONNECT_MS_MAX
  while (!redis.isReady && performance.now() < deadline) await Bun.sleep(CONNECT_PAUSE_MS)
  return redis.isReady
}

main(process.argv[2], process.argv[3]).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  },
)
