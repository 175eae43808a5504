import type { Database } from '@palanquin/db/client'
import type { Language } from '@palanquin/domain/language'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { LineClient } from '../line-client/client.ts'
import type { Media } from '../service-clients/media.ts'
import { personalMenus } from './personal-menu.ts'
import { menuRoutes } from './route.ts'

/** The rich menu: deployed by an owner, and shown to each in their language. */
export function createRichMenu(options: {
  client: LineClient | null
  media: Media
  db: Database
  redis: Redis
  publishOutbox: () => Promise<void>
  log: Log
  deadlineMs?: number | undefined
}) {
  const { client, media, db, redis, log, deadlineMs } = options
  const shown = client && personalMenus({ client, db, redis, log, deadlineMs })
  return {
    routes: menuRoutes({ ...options, deploying: client && { client, media, log }, shown }),
    show: async (userId: string, language: Language): Promise<void> => {
      await shown?.show(userId, language)
    },
  }
}
