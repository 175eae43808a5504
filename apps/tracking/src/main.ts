import { httpPart } from '@palanquin/service/http/listen'
import { schedule } from '@palanquin/service/schedule'
import { startService } from '@palanquin/service/start-service'
import { trackingConfig } from './config.ts'
import { FLUSH_PATH } from './flush/route.ts'
import { openTracking } from './tracking.ts'
import { untilReady } from './until-ready.ts'

startService({
  name: 'tracking',
  readConfig: trackingConfig,
  parts: async (context) => {
    const { config, log } = context
    const tracking = await openTracking(context)
    return [
      { name: 'tracking', stop: tracking.close },
      { name: 'readiness', start: () => untilReady(tracking.app) },
      schedule(log, [
        { name: 'flush', cron: config.FLUSH_SCHEDULE, run: tracking.flusher.flushIfFree },
        { name: 'pack', cron: config.PACK_SCHEDULE, run: tracking.packer.pack },
      ]),
      httpPart({ app: tracking.app, config, unhurried: [FLUSH_PATH] }),
    ]
  },
})
