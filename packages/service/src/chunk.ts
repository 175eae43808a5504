export function chunk<T>(list: readonly T[], max: number): (readonly T[])[] {
  const pieces: (readonly T[])[] = []
  for (let at = 0; at < list.length; at += max) pieces.push(list.slice(at, at + max))
  return pieces
}
