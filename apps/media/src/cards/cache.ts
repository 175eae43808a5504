/** A card with its image. */
export type Card = {
  userId: string
  contentKey: string
  /** Quoted, as in the header. */
  etag: string
  generatedAt: string
  png: Uint8Array<ArrayBuffer>
}

/** Some 150 cards: those that a family group has just been shown. */
const BYTES_MAX = 24 * 1024 * 1024

/** The cards that were used last, by participant, in a bounded number of bytes. */
export function createCardCache({ bytesMax = BYTES_MAX } = {}) {
  const cards = new Map<string, Card>()
  let bytes = 0

  const remove = (userId: string): void => {
    const card = cards.get(userId)
    if (card && cards.delete(userId)) bytes -= card.png.byteLength
  }
  return {
    get: (userId: string): Card | undefined => {
      const card = cards.get(userId)
      if (card) {
        cards.delete(userId) // and to the end: the first is the least recently used
        cards.set(userId, card)
      }
      return card
    },
    set: (card: Card): void => {
      remove(card.userId)
      if (card.png.byteLength > bytesMax) return
      cards.set(card.userId, card)
      bytes += card.png.byteLength
      for (const oldest of cards.keys()) {
        if (bytes <= bytesMax) break
        remove(oldest)
      }
    },
    delete: remove,
  }
}

export type CardCache = ReturnType<typeof createCardCache>
