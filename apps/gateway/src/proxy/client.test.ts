import { expect, test } from 'bun:test'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import Type from 'typebox'
import { clientsOf } from './client.ts'
import { Service } from './service.ts'

test('each call has its own deadline, short for a state and longer for a page', async () => {
  const deadlinesMs: number[] = []
  class Late extends Service {
    override call: Service['call'] = async (_, { deadlineMs }) => {
      deadlinesMs.push(deadlineMs)
      return 'late'
    }
  }
  const late = new Late({ addresses: [], inFlightMax: 1, streamsMax: 1 })
  const services = { tracking: late, map: late, engagement: late, media: late, lineBot: late }
  const { media } = clientsOf(services, { internalToken: 'secret' })
  for (const deadlineMs of [650, 2_000]) {
    const call = media.call({ path: '/internal/card-shares/a', deadlineMs, reply: Type.Any() })
    await expect(call).rejects.toThrow(StoreUnavailable)
  }
  expect(deadlinesMs).toEqual([650, 2_000])
})
