import type { Database } from '@palanquin/db/client'
import type { LevelKm } from '@palanquin/domain/level'
import { PaginatedExport } from '@palanquin/service/http/paginated-export'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { Elysia } from 'elysia'
import { bufferedCheckinsReader, bufferedFinder } from '../participants/buffer-reader.ts'
import type { ReadLivePositions } from './participants/live-positions.ts'
import type { ReadWithin } from './participants/near.ts'
import { oneParticipantRoute } from './participants/one.ts'
import { participantListRoutes } from './participants/route.ts'
import { unregisteredFinder } from './participants/unregistered.ts'
import type { UnregisteredOnMap } from './participants/unregistered-on-map.ts'
import { surveyListRoutes } from './surveys/route.ts'
import { timelineRoutes } from './timeline/route.ts'

type Dependencies = {
  db: Database
  redis: Redis
  levelKm: LevelKm
  timeZone: string
  unregisteredOnMap: UnregisteredOnMap
  readLive: ReadLivePositions
  readWithin: ReadWithin
  log: Log
  redisDeadlineMs?: number | undefined
}

/** Lists and tables for organisers; all downloads share one limit. */
export function reportRoutes({
  db,
  redis,
  levelKm,
  timeZone,
  unregisteredOnMap,
  readLive,
  readWithin,
  log,
  redisDeadlineMs,
}: Dependencies) {
  const exports = new PaginatedExport()
  const stores = {
    db,
    readBufferedCheckins: bufferedCheckinsReader({ redis, log, redisDeadlineMs }),
    levelKm,
  }
  const findBuffered = bufferedFinder({ redis, log, redisDeadlineMs })
  const findUnregistered = unregisteredFinder({ db, unregisteredOnMap, findBuffered })
  const listStores = { ...stores, findUnregistered, readLive, readWithin }
  return new Elysia({ name: 'reports' })
    .use(participantListRoutes({ stores: listStores, exports, timeZone, log }))
    .use(oneParticipantRoute(listStores))
    .use(surveyListRoutes({ stores, exports, timeZone, log }))
    .use(timelineRoutes({ db, timeZone }))
}
