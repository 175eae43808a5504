import type { Limiter } from './limiter.ts'
import type { Subject, Verdict } from './verdict.ts'

export type WindowLimiter = Pick<Limiter, 'take' | 'look' | 'countLater'>

type Waiting = {
  userId: string
  resolve: (place: Verdict | undefined) => void
  reject: (reason: unknown) => void
}

/** What one round counts, and who is asked for; or it only looks. */
type Round = { brought: number; asking: readonly Waiting[]; isLook: boolean }

/**
 * The window of new participants of one address, while calls go to their service before it is known whether they take a place. It is
 * counted in Redis, in one round after the other, so that an answer is never older than what is known: first what was brought, then places
 * for those who wait for one. Of places that calls under way may still take, nobody else gets one.
 */
export class AddressWindow {
  readonly #subject: Subject
  readonly #limiter: WindowLimiter
  readonly #isSeen: (userId: string) => boolean
  /** At most so many places are taken in Redis. Unknown, all of them. */
  #used: number
  #isUnknown = true
  #era = Number.NaN
  /** Calls that are with their service. */
  #underWay = 0
  /** Of those that were, how many have brought a participant and are to be counted. */
  #brought = 0
  /** What the present round counts and asks for. */
  #inRound = 0
  #waiting: Waiting[] = []
  #isBusy = false

  constructor({
    subject,
    limiter,
    isSeen,
  }: { subject: Subject; limiter: WindowLimiter; isSeen: (userId: string) => boolean }) {
    this.#subject = subject
    this.#limiter = limiter
    this.#isSeen = isSeen
    this.#used = subject.rule.limit
  }

  /** Places that are left for sure, whatever the calls under way bring. */
  get free(): number {
    const taken = this.#used + this.#underWay + this.#brought + this.#inRound
    return Math.max(0, this.#subject.rule.limit - taken)
  }

  /** Whether a call may go to its service at once; then `leave` or `bring` is to be called once. `era`: of counting alone. */
  enter(era: number): boolean {
    if (era !== this.#era) {
      this.#era = era
      this.#isUnknown = true
      this.#used = this.#subject.rule.limit
    }
    if (this.#isUnknown) this.#schedule()
    if (this.free === 0) return false
    this.#underWay++
    return true
  }

  /** A call that entered has taken no place. */
  leave(): void {
    this.#underWay--
    if (this.#waiting.length > 0) this.#schedule()
  }

  /** A call that entered has taken a place. */
  bring(): void {
    this.#underWay--
    this.#brought++
    this.#schedule()
  }

  /** A place, or a refusal, once no call under way can make it the wrong one; undefined for who has become known meanwhile. */
  take(userId: string): Promise<Verdict | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ userId, resolve, reject })
      this.#schedule()
    })
  }

  /** Those of one tick share a round. */
  #schedule(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    setImmediate(() => void this.#rounds())
  }

  async #rounds(): Promise<void> {
    let mayLook = true
    for (let round = this.#next(mayLook); round; round = this.#next(mayLook)) {
      // Where Redis is away the next call looks again.
      if (round.isLook) mayLook = false
      await this.#do(round)
    }
    this.#isBusy = false
  }

  #next(mayLook: boolean): Round | undefined {
    const asking = this.#takeWaiting()
    const brought = this.#brought
    this.#brought = 0
    if (brought > 0 || asking.length > 0) return { brought, asking, isLook: false }
    return this.#isUnknown && mayLook ? { brought, asking, isLook: true } : undefined
  }

  async #do({ brought, asking, isLook }: Round): Promise<void> {
    const era = this.#era
    this.#inRound = brought + asking.length
    try {
      // In this order, which Redis keeps: what was let through counts before anybody else is.
      const counted = brought > 0 ? [this.#limiter.countLater(this.#subject, brought)] : []
      const looked = isLook ? [this.#limiter.look(this.#subject)] : []
      const asked = asking.map(() => this.#limiter.take(this.#subject))
      const [others, places] = await Promise.all([Promise.all([...counted, ...looked]), Promise.all(asked)])
      const added = brought + places.filter(({ allowed }) => allowed).length
      if (era === this.#era) this.#note([...others, ...places], added)
      for (const [at, { resolve }] of asking.entries()) resolve(places[at])
    } catch (error) {
      for (const { reject } of asking) reject(error)
    } finally {
      this.#inRound = 0
    }
  }

  /** Those of the waiting whose place is sure, or all where nothing is under way: then Redis decides. */
  #takeWaiting(): Waiting[] {
    const needy = this.#waiting.filter(({ userId }) => !this.#isSeen(userId))
    for (const { userId, resolve } of this.#waiting) if (this.#isSeen(userId)) resolve(undefined)
    const asking = this.#underWay === 0 ? needy : needy.slice(0, this.free)
    this.#waiting = needy.slice(asking.length)
    return asking
  }

  /** Redis' answers to a round, whose last is the newest that there is; without any, what this process has added. */
  #note(verdicts: readonly Verdict[], added: number): void {
    const { limit } = this.#subject.rule
    const shared = verdicts.filter(({ isOwn }) => !isOwn)
    if (shared.length === 0) {
      this.#used = Math.min(limit, this.#used + added)
      return
    }
    this.#used = limit - Math.min(...shared.map(({ remaining }) => remaining))
    this.#isUnknown = false
  }
}
