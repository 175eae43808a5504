/** 64 bits of a rule's name and an id. */
export type KeyHash = { readonly hi: number; readonly lo: number }

/** Hashes what is counted. The secret in the seed keeps attackers from finding two ids of one key. */
export class KeyHasher {
  readonly #seed: bigint
  /** Another one, or a name and an id that change places would be one key. */
  readonly #nameSeed: bigint
  /** A handful: the rules, some of them for each route. */
  readonly #names = new Map<string, KeyHash>()
  readonly #bits = new BigUint64Array(1)
  readonly #words = new Uint32Array(this.#bits.buffer)

  /** The same secret gives the same hashes in every process. */
  constructor(secret: string) {
    this.#seed = Bun.hash.wyhash(secret)
    this.#nameSeed = Bun.hash.wyhash(secret, 1n)
  }

  hash(name: string, id: string): KeyHash {
    const { hi, lo } = this.#ofName(name)
    const ofId = this.#of(id, this.#seed)
    return { hi: (hi ^ ofId.hi) >>> 0, lo: (lo ^ ofId.lo) >>> 0 }
  }

  #ofName(name: string): KeyHash {
    const known = this.#names.get(name)
    if (known) return known
    const hash = this.#of(name, this.#nameSeed)
    this.#names.set(name, hash)
    return hash
  }

  /** A bigint is read through memory: to divide it would make two more. */
  #of(text: string, seed: bigint): KeyHash {
    this.#bits[0] = Bun.hash.wyhash(text, seed)
    return { hi: this.#words[1] ?? 0, lo: this.#words[0] ?? 0 }
  }
}
