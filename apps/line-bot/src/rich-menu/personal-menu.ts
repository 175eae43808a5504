import type { Database } from '@palanquin/db/client'
import type { Language } from '@palanquin/domain/language'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import Type from 'typebox'
import type { LineClient } from '../line-client/client.ts'
import { REDIS_DEADLINE_MS } from '../redis-deadlines.ts'
import type { Menus } from './deploy.ts'
import { menuOf } from './menu.ts'

/** The id of the English menu; the Chinese one is everybody's, and needs no link. */
const MENU_KEY = '{line}:menu:en'
const LINKS_AT_ONCE = 4

const UserId = Type.Object({ userId: Type.String() })
const ENGLISH_SPEAKERS = `
SELECT u.user_id AS "userId" FROM line.users AS u JOIN engagement.participants AS p USING (user_id)
 WHERE u.following AND p.language = 'en'`

/** Links each user to the menu of their language; the Chinese one is the default. */
export function personalMenus({
  client: { richMenu },
  db,
  redis,
  log,
  deadlineMs = REDIS_DEADLINE_MS,
}: {
  client: Pick<LineClient, 'richMenu'>
  db: Pick<Database, 'queryAs'>
  redis: Redis
  log: Log
  deadlineMs?: number | undefined
}) {
  const soon = <T>(work: Promise<T>) => withDeadline(work, { what: 'Redis', deadlineMs })
  /** Redis may have lost it; LINE knows. */
  const englishMenu = async (): Promise<string | null> => {
    const known = await soon(redis.get(MENU_KEY))
    if (known !== null) return known === '' ? null : known
    const all = await richMenu.list()
    if (all.is !== 'ok') return null
    const { name } = menuOf('en')
    const found = all.value.findLast((menu) => menu.name === name)?.richMenuId ?? null
    await soon(redis.set(MENU_KEY, found ?? ''))
    return found
  }
  const show = async (userId: string, language: Language): Promise<void> => {
    try {
      if (language === 'zh-TW') return void (await richMenu.unlink(userId))
      const richMenuId = await englishMenu()
      if (richMenuId !== null) await richMenu.link(userId, richMenuId)
    } catch (error) {
      log.debug(
        { event: 'rich_menu.link_failed', reason: String(error) },
        'A user keeps the menu that they have',
      )
    }
  }
  return {
    /** Never throws: another menu is a courtesy. */
    show,
    /** After a deployment: an old menu took its links with it. */
    relink: async (menus: Menus): Promise<void> => {
      await soon(redis.set(MENU_KEY, menus.en))
      const users = await db.queryAs(UserId, ENGLISH_SPEAKERS)
      const work = async () => {
        for (let next = users.pop(); next; next = users.pop()) await show(next.userId, 'en')
      }
      await Promise.all(Array.from({ length: LINKS_AT_ONCE }, work))
    },
  }
}

export type PersonalMenus = ReturnType<typeof personalMenus>
