/**
 * One address may have so much unread: some forty compressed maps of 100,000 participants, or five uncompressed. Clients
 * that share an address read a map in a second; one that reads none gets no more.
 */
const ADDRESS_BYTES_MAX = 64 * 1_048_576
/** What all clients together may have unread: a fraction of a gateway's memory (docs/capacity.md). */
const ALL_BYTES_MAX = 256 * 1_048_576

type Address = { bytes: number; readersOf: Map<object, number> }

/**
 * The bytes that clients have requested and not read, by address and in all. A body with many readers is in memory once and
 * counted once, and once for each address that reads it.
 */
export class Unread {
  readonly #addressBytesMax: number
  readonly #allBytesMax: number
  readonly #addresses = new Map<string, Address>()
  readonly #readersOf = new Map<object, number>()
  #bytes = 0

  constructor({ addressBytesMax = ADDRESS_BYTES_MAX, allBytesMax = ALL_BYTES_MAX } = {}) {
    this.#addressBytesMax = addressBytesMax
    this.#allBytesMax = allBytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether one more reader of a body fits; always where nothing else is unread, however large it is. */
  capacityFor(address: string, body: object, bytes: number): 'yes' | 'none at its address' | 'none' {
    const known = this.#addresses.get(address)
    if (known && !known.readersOf.has(body) && known.bytes + bytes > this.#addressBytesMax)
      return 'none at its address'
    return this.#readersOf.has(body) || this.#bytes === 0 || this.#bytes + bytes <= this.#allBytesMax
      ? 'yes'
      : 'none'
  }

  add(address: string, body: object, bytes: number): void {
    const known = this.#addresses.get(address) ?? { bytes: 0, readersOf: new Map() }
    this.#addresses.set(address, known)
    if (count(known.readersOf, body, 1) === 1) known.bytes += bytes
    if (count(this.#readersOf, body, 1) === 1) this.#bytes += bytes
  }

  remove(address: string, body: object, bytes: number): void {
    const known = this.#addresses.get(address)
    if (!known) return
    if (count(known.readersOf, body, -1) === 0) known.bytes -= bytes
    if (count(this.#readersOf, body, -1) === 0) this.#bytes -= bytes
    if (known.readersOf.size === 0) this.#addresses.delete(address)
  }

  /** The address with most unread bytes. */
  largest(): string | undefined {
    let most: [string, Address] | undefined
    for (const each of this.#addresses) if (!most || each[1].bytes > most[1].bytes) most = each
    return most?.[0]
  }
}

/** How many read the body after `by` more. */
function count(readersOf: Map<object, number>, body: object, by: 1 | -1): number {
  const readers = (readersOf.get(body) ?? 0) + by
  if (readers === 0) readersOf.delete(body)
  else readersOf.set(body, readers)
  return readers
}
