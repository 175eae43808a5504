/** What has one key, in its order, and the places where it stood. */
export type Group<T> = { key: number; members: T[]; places: number[] }

/** Divides a batch, so that a script has once what its members share. */
export function divide<T>(batch: readonly T[], keyOf: (member: T) => number): Group<T>[] {
  const groups = new Map<number, Group<T>>()
  batch.forEach((member, place) => {
    const key = keyOf(member)
    const group = groups.get(key)
    if (group) {
      group.members.push(member)
      group.places.push(place)
    } else groups.set(key, { key, members: [member], places: [place] })
  })
  return [...groups.values()]
}

/** Results of a batch that was divided, group after group, in the order of the batch. */
export function reunite<T>(groups: readonly Group<unknown>[], results: readonly T[]): (T | undefined)[] {
  const ordered: (T | undefined)[] = []
  const places = groups.flatMap((group) => group.places)
  places.forEach((place, at) => {
    ordered[place] = results[at]
  })
  return ordered
}
