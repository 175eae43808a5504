import { connectDatabase } from '@palanquin/db/client'
import { failPointOf } from '@palanquin/service/fail-point'
import { connectRedis } from '@palanquin/service/redis'
import { run } from '@palanquin/service/run'
import { consume } from '../src/consume.ts'
import { applyOnce } from '../src/once.ts'
import { outboxRelay } from '../src/outbox-relay.ts'
import { EFFECT, silentLog } from './bus.ts'

/** A process for the crash tests to kill: the first argument says what it is, `relay` or `consumer`. */
const log = silentLog
const db = connectDatabase({ url: process.env.DATABASE_URL ?? '', name: 'crash', log })
const url = process.env.REDIS_URL ?? ''
const redis = connectRedis({ url, name: 'crash', log })
const failPoint = failPointOf(process.env)

const part =
  process.argv[2] === 'relay'
    ? outboxRelay({ db, schema: 'tracking', redis, log, failPoint })
    : consume({
        redis,
        blocking: connectRedis({ url, name: 'crash', log, blocking: true }),
        group: 'readers',
        consumer: 'mortal',
        handlers: {
          'achievement.unlocked': async ({ id }) => {
            await applyOnce(db, { schema: 'engagement', eventId: id, effects: [EFFECT] })
          },
        },
        log,
        failPoint,
      })

run({ log, parts: [part] })
