import { readConfig, SERVICE_VARIABLES } from '../src/config.ts'
import { httpPart } from '../src/http/listen.ts'
import { connectRedis } from '../src/redis.ts'
import { startService } from '../src/start-service.ts'
import { storesPart } from '../src/stores-part.ts'

/** The smallest service, for the test of its start and its stop. */
startService({
  name: 'smallest',
  readConfig: (env) => readConfig(SERVICE_VARIABLES, env),
  parts: async ({ config, log }) => {
    if (config.LOG_LEVEL === 'trace') throw new Error('no parts today')
    const redis = connectRedis({ url: config.REDIS_URL, name: 'smallest', log })
    const stores = storesPart({
      log,
      redis: [redis, redis],
      close: () => log.info({ event: 'stores.closed' }, 'Closed'),
    })
    return [stores, httpPart({ app: { fetch: () => new Response('served') }, config })]
  },
})
