import { httpPart } from '@palanquin/service/http/listen'
import { startService } from '@palanquin/service/start-service'
import { untilReady } from '../until-ready.ts'
import { mapConfig } from './config.ts'
import { createMapService } from './service.ts'

/** A map of 300,000 people is read within seconds, or some ten times that on a machine that is busy. */
const LOADING_MS_MAX = 30_000

startService({
  name: 'map',
  readConfig: mapConfig,
  parts: ({ config, log, metrics }) => {
    const { app, parts, streams } = createMapService({ config, log, metrics })
    return [
      ...parts,
      { name: 'readiness', start: () => untilReady(app, { loadingMsMax: LOADING_MS_MAX }) },
      httpPart({ app, config }),
      // Last to start and first to stop: the server waits for open streams, which never end by themselves.
      streams,
    ]
  },
})
