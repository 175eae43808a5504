import type { Database } from '@palanquin/db/client'
import type { LevelKm } from '@palanquin/domain/rank'
import { PaginatedExport } from '@palanquin/service/http/paginated-export'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { Elysia } from 'elysia'
import { bufferedCheckinsReader, bufferedFinder } from '../participants/buffer-reader.ts'
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
  log: Log
}

/** Lists and tables for organisers; all downloads share one limit. */
export function reportRoutes({ db, redis, levelKm, timeZone, unregisteredOnMap, log }: Dependencies) {
  const exports = new PaginatedExport()
  const stores = { db, readBufferedCheckins: bufferedCheckinsReader({ redis, log }), levelKm }
  const findBuffered = bufferedFinder({ redis, log })
  const findUnregistered = unregisteredFinder({ db, unregisteredOnMap, findBuffered })
  return new Elysia({ name: 'reports' })
    .use(participantListRoutes({ stores: { ...stores, findUnregistered }, exports, log }))
    .use(surveyListRoutes({ stores, exports, log }))
    .use(timelineRoutes({ db, timeZone }))
}
