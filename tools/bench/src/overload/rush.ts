import type { RunFile } from '@palanquin/stack/run-state/run-file'
import { type Answered, RawConnection } from './lane.ts'

export const KINDS = ['check-in', 'read', 'card', 'export'] as const
export type Kind = (typeof KINDS)[number]
/** Percentages: check-ins, own profiles, and a few administrators. */
const SHARE: Readonly<Record<Kind, number>> = { 'check-in': 80, read: 10, card: 8, export: 2 }
/** Only participants with a card request cards. */
export const CARD_OWNERS = 20

export type Rush = Readonly<Record<Kind, readonly Answered[]>> & {
  /** Requests that found all connections busy. */
  unsent: number
  lastedMs: number
}

const sleepUntil = (ms: number) => Bun.sleep(Math.max(0, ms - performance.now()))

/** The load of one run: every check-in is of another participant. */
export class LoadGenerator {
  readonly #run: RunFile
  readonly #prefix: string
  readonly #free: RawConnection[] = []
  readonly #lanes: RawConnection[] = []
  #participants = 0
  #turn = 0

  constructor(run: RunFile, { prefix, brand = 'event' }: { prefix: string; brand?: string }) {
    this.#run = run
    this.#prefix = `/api/${brand}`
    this.name = prefix
  }
  readonly name: string

  /** Opens the connections in batches before the measurement. */
  async connect(lanes: number): Promise<void> {
    while (this.#lanes.length < lanes) {
      const some = Array.from(
        { length: Math.min(50, lanes - this.#lanes.length) },
        () => new RawConnection(this.#run),
      )
      await Promise.all(some.map((lane) => lane.open()))
      this.#lanes.push(...some)
      this.#free.push(...some)
    }
  }

  disconnect(): void {
    for (const lane of this.#lanes) lane.close()
  }

  /**
   * The sustained load: each connection sends its next check-in after a response; counted are 202s within a
   * second.
   */
  async sustain({ lanes, forMs }: { lanes: number; forMs: number }): Promise<Answered[]> {
    const answers: Answered[] = []
    const endMs = performance.now() + forMs
    await Promise.all(
      this.#lanes.slice(0, lanes).map(async (lane) => {
        while (performance.now() < endMs) answers.push(await this.#ask(lane, 'check-in'))
      }),
    )
    return answers
  }

  /** Requests at a fixed rate, whether or not they are answered. */
  async rush({ perSecond, forMs }: { perSecond: number; forMs: number }): Promise<Rush> {
    const answers: Record<Kind, Answered[]> = { 'check-in': [], read: [], card: [], export: [] }
    const startedMs = performance.now()
    const asked: Promise<unknown>[] = []
    let unsent = 0
    for (let due = 0; performance.now() - startedMs < forMs; ) {
      const elapsedMs = performance.now() - startedMs
      for (; due < (elapsedMs / 1_000) * perSecond; due++) {
        const lane = this.#free.pop()
        if (!lane) {
          unsent++
          continue
        }
        const kind = this.#nextKind()
        asked.push(
          this.#ask(lane, kind).then((answered) => {
            answers[kind].push(answered)
            this.#free.push(lane)
          }),
        )
      }
      await sleepUntil(performance.now() + 2)
    }
    const lastedMs = performance.now() - startedMs
    await Promise.all(asked)
    return { ...answers, unsent, lastedMs }
  }

  /** One request of a kind over a free connection. */
  async one(kind: Kind): Promise<Answered> {
    const lane = this.#free.pop()
    if (!lane) throw new Error('no connection is free')
    try {
      return await this.#ask(lane, kind)
    } finally {
      this.#free.push(lane)
    }
  }

  #nextKind(): Kind {
    // 37 and 100 are coprime: the kinds are spread evenly.
    let place = (this.#turn++ * 37) % 100
    for (const kind of KINDS) {
      place -= SHARE[kind]
      if (place < 0) return kind
    }
    return 'check-in'
  }

  #ask(lane: RawConnection, kind: Kind): Promise<Answered> {
    const participant = this.#participants++
    if (kind === 'check-in') {
      const place = `"lat":${24 + (participant % 1_000) / 10_000},"lng":120.6238`
      return lane.send(`POST ${this.#prefix}/checkin`, {
        body: `{"userId":"${this.name}-${participant}",${place}}`,
      })
    }
    if (kind === 'read') return lane.send(`GET ${this.#prefix}/data?limit=100`)
    if (kind === 'card') return lane.send(`GET ${this.#prefix}/og/owner-${participant % CARD_OWNERS}.png`)
    return lane.send(`GET ${this.#prefix}/admin/users?format=csv`, {
      headers: `X-Admin-Token: ${this.#run.tokens.manager}\r\n`,
    })
  }
}
