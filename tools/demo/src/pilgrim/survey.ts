import { QUESTIONS } from '@palanquin/domain/survey'
import type { Random } from '@palanquin/testing/random'

/** A survey response: the answers, and mostly a phone number. */
export type PlannedSurvey = { answers: Record<string, unknown>; phone?: string }

const PHONE_SHARE = 0.8
const COMMENTS = ['明年再來', '謝謝沿途的鄉親', 'Thank you all', null]
/** Kilometres there and back. */
const JOURNEYS: readonly ((random: Random) => unknown)[] = [
  (random) => ({ hsr: random.integer(100, 350), bus: random.integer(2, 30) }),
  (random) => ({ train: random.integer(40, 400), scooter: random.integer(1, 12) }),
  (random) => ({ car: random.integer(10, 300) }),
  (random) => ({ mrt: random.integer(5, 30), bus: random.integer(60, 250) }),
  (random) => ({ 牛車: random.integer(1, 9) }),
  () => 'walk',
]

/** A random survey. `index` makes the phone number unique. */
export function planSurvey(random: Random, index: number): PlannedSurvey {
  const some = (id: string) => choicesOf(id).filter(() => random.next() < 0.4)
  const one = <T>(list: readonly T[]): T | undefined => list[random.integer(0, list.length - 1)]
  const answers = {
    q1: some('q1'),
    q2: some('q2'),
    q3: one(JOURNEYS)?.(random),
    q4: some('q4'),
    q5: random.integer(0, 4),
    q6: one(choicesOf('q6')),
    q7: random.integer(0, 20),
    q8: String(random.integer(0, 30)),
    q9: random.integer(0, 9),
    q10: one(COMMENTS),
  }
  if (random.next() >= PHONE_SHARE) return { answers }
  return { answers, phone: `0900-${String(index).padStart(6, '0')}` }
}

const choicesOf = (id: string): string[] =>
  QUESTIONS.find((question) => question.id === id)?.choices?.map(({ value }) => value) ?? []
