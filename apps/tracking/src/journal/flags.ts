/** A bit for each entry of a segment, as many as come. */
export class Flags {
  private bits = new Uint8Array(64)

  has(index: number): boolean {
    return ((this.bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0
  }

  set(index: number): void {
    const byte = index >> 3
    if (byte >= this.bits.length) {
      const grown = new Uint8Array(Math.max(byte + 1, this.bits.length * 2))
      grown.set(this.bits)
      this.bits = grown
    }
    this.bits[byte] = (this.bits[byte] ?? 0) | (1 << (index & 7))
  }
}
