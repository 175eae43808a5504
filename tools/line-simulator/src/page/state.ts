import type { Person, Relation } from '../people.ts'
import type { Platform } from '../platform.ts'

/** The page's list of people: a trial may have thousands. */
const PEOPLE_SHOWN_MAX = 100
const RELATIONS: readonly Relation[] = ['none', 'friend', 'blocked', 'deleted']

/** Everything that the page shows of one person's chat. */
export function stateOf(platform: Platform, userId: string) {
  const { people, quota, richMenus } = platform
  const person = people.find(userId) ?? people.all()[0] ?? people.add({ relation: 'none' })
  const menu = person.relation === 'friend' ? richMenus.seenBy(person.userId) : undefined
  return {
    people: [...new Set([person, ...people.all().slice(0, PEOPLE_SHOWN_MAX)])],
    person,
    lines: platform.talk(person.userId),
    menu: menu && { richMenuId: menu.richMenuId, ...menu.menu },
    quota: { limit: quota.limit, used: quota.consumed() },
  }
}

/** Changes a person, or adds one where no `userId` is given. */
export function changePerson(platform: Platform, body: Record<string, unknown>): Person {
  const { userId, displayName, language, relation } = body
  const person = typeof userId === 'string' ? platform.people.get(userId) : platform.people.add()
  if (typeof displayName === 'string' && displayName !== '') person.displayName = displayName
  if (typeof language === 'string') person.language = language === '' ? undefined : language
  const chosen = RELATIONS.find((known) => known === relation)
  if (chosen) person.relation = chosen
  platform.changed()
  return person
}
