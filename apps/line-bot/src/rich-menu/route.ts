import type { Database } from '@palanquin/db/client'
import { ROLE_LEVEL, ROLES } from '@palanquin/domain/role'
import { withDeadline } from '@palanquin/service/deadline'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { actorOf, callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { REDIS_DEADLINE_MS } from '../redis-deadlines.ts'
import { type Deploying, deployMenus } from './deploy.ts'
import type { PersonalMenus } from './personal-menu.ts'

const OWNER_TIER = 3
const LOCK_KEY = '{line}:menu:lock'
/** Longer than a deployment, so that only a crash leaves it behind. */
const LOCK_MS = 60_000
const Answer = Type.Object({
  richMenuId: Type.String({ description: 'the menu that everybody sees' }),
  richMenuIds: Type.Record(Type.String(), Type.String(), { description: 'the menu of each language' }),
})

const NOTE = `INSERT INTO line.outbox (type, data)
  SELECT 'admin.acted', jsonb_build_object('action', 'richmenu.deploy', 'by', $1::text, 'detail', $2::text::jsonb)`

const notConfigured = new ApiError(
  'unavailable',
  'LINE is not configured here: there are no users to show a menu to.',
)
const forbidden = new ApiError('forbidden', 'This needs the token of an owner.')
const underWay = new ApiError(
  'conflict',
  'The menu is being deployed already. Please wait until that is done.',
)

export type MenuOptions = {
  /** Null where LINE is not configured. */
  deploying: Deploying | null
  shown: PersonalMenus | null
  db: Pick<Database, 'query' | 'queryAs'>
  redis: Redis
  /** The outbox relay's `publishSoon`. */
  publishOutbox: () => Promise<void>
  log: Log
  deadlineMs?: number | undefined
}

/** `POST /admin/richmenu`. Contract section 5. */
export const menuRoutes = ({ deploying, shown, db, redis, publishOutbox, log, deadlineMs }: MenuOptions) =>
  new Elysia({ name: 'rich-menu' }).post(
    '/admin/richmenu',
    async ({ request }) => {
      const { tier, requestId } = callerOf(request.headers)
      if (tier < OWNER_TIER) return forbidden
      if (!deploying || !shown) return notConfigured
      // Two at once would each remove what the other made.
      if (!(await takeLock(redis, deadlineMs))) return underWay
      try {
        const menus = await deployMenus(deploying, requestId)
        if (menus instanceof ApiError) return menus
        shown
          .relink(menus)
          .catch((error: unknown) =>
            log.warn(
              { event: 'rich_menu.relink_failed', reason: String(error) },
              'Not every user sees the menu of their language',
            ),
          )
        const by = actorOf(request.headers, ROLES.find((role) => ROLE_LEVEL[role] === tier) ?? 'owner')
        await db.query(NOTE, [by, JSON.stringify({ richMenuId: menus['zh-TW'] })])
        await publishOutbox()
        return ok({ richMenuId: menus['zh-TW'], richMenuIds: menus })
      } finally {
        await redis
          .del(LOCK_KEY)
          .catch((error: Error) =>
            log.debug(
              { event: 'rich_menu.unlock_failed', reason: error.message },
              'The lock of the menu expires by itself',
            ),
          )
      }
    },
    {
      detail: describe({
        summary: 'Deploy the rich menu',
        description:
          'Makes the menus of both languages with their pictures, shows the Chinese one to all users and the English one to those who chose English, and removes those of an earlier deployment. The body may be empty.',
        tags: ['LINE'],
        answers: {
          200: {
            description: 'the menu is there',
            data: Answer,
            example: {
              richMenuId: 'richmenu-88c05ef6921ae53f8b58a25f3a65faf7',
              richMenuIds: {
                'zh-TW': 'richmenu-88c05ef6921ae53f8b58a25f3a65faf7',
                en: 'richmenu-1f0d5ef6921ae53f8b58a25f3a65fb20',
              },
            },
          },
        },
        apiErrors: ['unauthorized', 'forbidden', 'conflict', 'badGateway', 'unavailable'],
      }),
    },
  )

async function takeLock(redis: Redis, deadlineMs = REDIS_DEADLINE_MS): Promise<boolean> {
  try {
    const options = { condition: 'NX', expiration: { type: 'PX', value: LOCK_MS } } as const
    const taken = redis.set(LOCK_KEY, '1', options)
    return (await withDeadline(taken, { what: 'Redis', deadlineMs })) !== null
  } catch (error) {
    throw new StoreUnavailable('lock of the menu', error)
  }
}
