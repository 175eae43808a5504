/**
 * One address may leave so much unread: some forty compressed maps of 100,000 people, or five of them plain. A village behind
 * one address reads a map in a second; whoever reads none of them gets no further.
 */
const ADDRESS_BYTES_MAX = 64 * 1_048_576
/** What all clients together may leave unread: a fraction of the memory that a gateway is given (docs/capacity.md). */
const ALL_BYTES_MAX = 256 * 1_048_576

type Address = { bytes: number; readersOf: Map<object, number> }

/**
 * The bytes that clients have asked for and not read, by address and in all. A body that many read is held once and
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

  /** Whether one more reader of a body finds room; who reads nothing else does, however large it is. */
  roomFor(address: string, body: object, bytes: number): 'yes' | 'none at its address' | 'none' {
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

  /** The address that leaves most unread. */
  greediest(): string | undefined {
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
