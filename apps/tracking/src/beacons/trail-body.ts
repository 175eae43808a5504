import type { DeviceFix } from '@palanquin/domain/beacon'
import { etagOf } from '@palanquin/service/http/etag'
import type { PublicBody } from '@palanquin/service/http/public-response'

/** Texts one behind the other, and where each begins. */
type Joined = { text: string; starts: Uint32Array }

/** A trail as GeoJSON, written once for all readers: what one of them asks for is a part of the same texts. */
export class TrailBody {
  readonly #way: readonly DeviceFix[]
  readonly #coordinates: Joined
  readonly #times: Joined
  readonly #tag: string

  constructor(way: readonly DeviceFix[]) {
    this.#way = way
    this.#coordinates = joined(way.map(({ lng, lat }) => `[${lng},${lat}]`))
    this.#times = joined(way.map(({ recordedAtMs }) => String(recordedAtMs)))
    this.#tag = etagOf(this.#coordinates.text + this.#times.text).slice(1, -1)
  }

  /** The way from a time on. */
  since(fromMs: number): PublicBody {
    const first = firstFrom(this.#way, fromMs)
    const etag = `"${this.#tag}-${first}"`
    const left = this.#way.length - first
    if (left === 0) return { text: featureOf('null', ''), etag }
    const [coordinates, times] = [tail(this.#coordinates, first), tail(this.#times, first)]
    // A line has two positions at least (RFC 7946, 3.1.4): one that has not moved stands twice.
    const twice = (text: string) => (left === 1 ? `${text},${text}` : text)
    return {
      text: featureOf(`{"type":"LineString","coordinates":[${twice(coordinates)}]}`, twice(times)),
      etag,
    }
  }
}

const featureOf = (geometry: string, times: string): string =>
  `{"type":"Feature","geometry":${geometry},"properties":{"times":[${times}]}}`

function joined(texts: readonly string[]): Joined {
  const starts = new Uint32Array(texts.length)
  let start = 0
  for (const [at, text] of texts.entries()) {
    starts[at] = start
    start += text.length + 1
  }
  return { text: texts.join(','), starts }
}

const tail = ({ text, starts }: Joined, first: number): string => text.slice(starts[first])

/** The index of the first fix at a time or later. */
function firstFrom(way: readonly DeviceFix[], fromMs: number): number {
  let [low, high] = [0, way.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((way[middle]?.recordedAtMs ?? 0) < fromMs) low = middle + 1
    else high = middle
  }
  return low
}
