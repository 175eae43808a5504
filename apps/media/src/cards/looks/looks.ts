import { FOUNDATION, GOLDEN_CORE, QI_REFINING } from './levels-1-to-3.ts'
import { NASCENT_SOUL, SPIRIT, VOID } from './levels-4-to-6.ts'
import { ASCENDED, MAHAYANA, UNITY } from './levels-7-to-9.ts'
import type { Look } from './look.ts'
import { NOT_YET } from './not-yet.ts'

/** By level; 0 is the card of somebody who has not checked in yet. */
export const LOOKS: readonly Look[] = [
  NOT_YET,
  QI_REFINING,
  FOUNDATION,
  GOLDEN_CORE,
  NASCENT_SOUL,
  SPIRIT,
  VOID,
  UNITY,
  MAHAYANA,
  ASCENDED,
]

/** The look of a level. @throws RangeError for a level that there is none of */
export function lookOf(level: number): Look {
  const look = LOOKS[level]
  if (!look) throw new RangeError(`there is no card of level ${level}`)
  return look
}
