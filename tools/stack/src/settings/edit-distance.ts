/**
 * The Damerau-Levenshtein distance: letters to change, remove, insert or swap to turn one word into the
 * other.
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const ways = [at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (isSame ? 0 : 1)]
      next[j] = Math.min(...ways, isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY)
    }
    before = row
    row = next
  }
  return at(row, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
