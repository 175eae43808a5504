import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'

/** Of bodies above the usual limit, that memory allows at a time: thirty-two photos of the largest size. */
const BYTES_MAX = 335_544_320
/** A village shares an address, and may not keep everybody else out. */
const BYTES_OF_ADDRESS_MAX = BYTES_MAX / 4
/** A photo besides an import; each of them is sent one after the other. */
const BODIES_OF_PERSON_MAX = 2

const busy = new ApiError('unavailable', 'Many people are uploading right now; please try again shortly.', {
  connection: 'close',
  'retry-after': '10',
})

/** How many of each key are held; a key of which none is left is forgotten. */
class Held {
  readonly #held = new Map<string, number>()

  of(key: string): number {
    return this.#held.get(key) ?? 0
  }

  add(key: string, count: number): void {
    const held = this.of(key) + count
    if (held > 0) this.#held.set(key, held)
    else this.#held.delete(key)
  }
}

type LargeBody = {
  /** Announced, up to the limit of the route; without an announcement that limit. */
  bytes: number
  address: string
  /** Who has proven that they may send it; undefined where that is not known yet. */
  person?: string | undefined
}

/** A bound on the bodies above the usual limit that are held in memory: of all, of an address and of a person. */
export class LargeBodies {
  #bytes = 0
  readonly #ofAddress = new Held()
  readonly #ofPerson = new Held()

  /** Takes the place of a body, to be given back at the end of its request; an error where there is none. */
  take({ bytes, address, person }: LargeBody): (() => void) | ApiError {
    const key = countedAs(address)
    if (
      this.#bytes + bytes > BYTES_MAX ||
      this.#ofAddress.of(key) + bytes > BYTES_OF_ADDRESS_MAX ||
      (person !== undefined && this.#ofPerson.of(person) >= BODIES_OF_PERSON_MAX)
    )
      return busy
    const change = (sign: 1 | -1) => {
      this.#bytes += sign * bytes
      this.#ofAddress.add(key, sign * bytes)
      if (person !== undefined) this.#ofPerson.add(person, sign)
    }
    change(1)
    return () => change(-1)
  }
}

/** What a body may come to. */
export function bytesOf({ headers }: Request, bytesMax: number): number {
  const announced = Number(headers.get('content-length') ?? bytesMax)
  return Number.isFinite(announced) ? Math.min(announced, bytesMax) : bytesMax
}
