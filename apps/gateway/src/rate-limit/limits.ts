import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { SeenIds } from '@palanquin/service/seen-ids'
import type { Config } from '../config.ts'
import type { Service } from '../proxy/service.ts'
import { knownParticipants } from './known-participants.ts'
import { Limiter } from './limiter.ts'
import { NewParticipants } from './new-participants.ts'
import { noRateLimit, rateLimit } from './rate-limit.ts'
import { rulesOf } from './rules.ts'
import { Windows } from './windows.ts'

/** For tests: how long a call waits for Redis, and for tracking to say who is known. */
export type LimitsDeadlinesMs = { redis?: number; tracking?: number }

/** The rate limits with all that counts for them: in Redis for every gateway, and in this process. */
export function limitsOf({
  config,
  redis,
  tracking,
  log,
  deadlinesMs = {},
}: {
  config: Config
  redis: Redis
  tracking: Pick<Service, 'call'>
  log: Log
  deadlinesMs?: LimitsDeadlinesMs | undefined
}) {
  const { INTERNAL_TOKEN: internalToken, RATE_LIMITS } = config
  const rules = rulesOf({
    writesByAddress: config.PUBLIC_WRITE_LIMIT,
    readsByAddress: config.PUBLIC_READ_LIMIT,
    pages: config.PAGE_READ_LIMIT,
    sessions: config.SESSION_LIMIT,
    lostReports: config.LOST_LIMIT,
    finds: config.FIND_LIMIT,
    mapQueries: config.MAP_QUERY_LIMIT,
    newParticipants: config.NEW_PARTICIPANT_LIMIT,
  })
  const windows = new Windows({ redis, log, deadlineMs: deadlinesMs.redis })
  const limiter = new Limiter({ count: windows.count, secret: internalToken })
  const newParticipants = new NewParticipants({
    seen: new SeenIds(),
    isKnown: knownParticipants({ tracking, internalToken, log, deadlineMs: deadlinesMs.tracking }),
    limiter,
  })
  const limits = RATE_LIMITS === 'off' ? noRateLimit : rateLimit({ limiter, newParticipants, rules })
  return { limits, rules, windows, limiter }
}
