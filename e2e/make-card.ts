import type { Api, Reply } from '@palanquin/stack/api'
import { until } from '@palanquin/testing/until'

/** A card of the API, made as soon as the service is not busy. */
export function makeCard(api: Api, body: object, options?: Parameters<Api['post']>[2]): Promise<Reply> {
  const made = async () => {
    const reply = await api.post('/og-image', body, options)
    return reply.status !== 503 && reply
  }
  return until(made, { what: 'a card' })
}
