import type { Refusal } from '@palanquin/service/http/refusal'

export type Gate = {
  /** Why GPS of this participant is not taken now; null when it is. Asks no store. */
  refusalFor: (userId: string) => Refusal | null
}
