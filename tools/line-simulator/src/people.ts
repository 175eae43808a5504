import { idOf } from './ids.ts'

/** A person's relation to the bot: `none` has never added it, `deleted` has left LINE. */
export type Relation = 'none' | 'friend' | 'blocked' | 'deleted'

export type Person = {
  userId: string
  displayName: string
  /** As LINE reports it (`zh-TW`, `en`); undefined where the person has not agreed to share it. */
  language?: string | undefined
  pictureUrl?: string | undefined
  statusMessage?: string | undefined
  relation: Relation
}
export type Group = { id: string; kind: 'group' | 'room'; members: string[] }

/** All people of this LINE. Ids are the same in every run. */
export function createPeople() {
  const people = new Map<string, Person>()
  const groups = new Map<string, Group>()
  const add = (facts: Partial<Person> = {}): Person => {
    const number = people.size + 1
    const person: Person = {
      userId: idOf('U', String(number)),
      displayName: `香客 ${number}`,
      language: 'zh-TW',
      relation: 'friend',
      ...facts,
    }
    people.set(person.userId, person)
    return person
  }
  return {
    /** A friend of the bot who speaks Chinese, unless the facts differ. */
    add,
    /** So many at once; returns their ids. */
    addMany: (count: number, facts: Partial<Omit<Person, 'userId'>> = {}): string[] =>
      Array.from({ length: count }, () => add(facts).userId),
    find: (userId: string): Person | undefined => people.get(userId),
    /** @throws Error for an unknown id */
    get: (userId: string): Person => {
      const person = people.get(userId)
      if (!person) throw new Error(`the stub has no person ${userId}`)
      return person
    },
    all: (): Person[] => [...people.values()],
    friends: (): Person[] => [...people.values()].filter(({ relation }) => relation === 'friend'),
    /** A group chat (or a room) that the bot is in. */
    addGroup: (members: string[], kind: Group['kind'] = 'group'): Group => {
      const group = { id: idOf(kind === 'group' ? 'C' : 'R', String(groups.size + 1)), kind, members }
      groups.set(group.id, group)
      return group
    },
    group: (id: string): Group | undefined => groups.get(id),
  }
}
