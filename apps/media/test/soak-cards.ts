import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { SAMPLES } from '../src/cards/gallery/samples.ts'
import names from '../src/cards/names.json' with { type: 'json' }
import { createCardPool } from '../src/cards/render/card-pool.ts'
import { cardMetrics } from '../src/cards/render/metrics.ts'

/** `bun apps/media/test/soak-cards.ts <count>`: renders that many different cards. */
const count = Number(process.argv[2] ?? 10_000)
const REPORTS = 10
const AT_ONCE = 8
const MEBIBYTE = 2 ** 20

const pool = createCardPool({
  log: createLog({ service: 'media', level: 'warn' }),
  metrics: cardMetrics(createMetrics('media')),
})
let rendered = 0

/** Every card another one; every fortieth with a name of the corpus, in all scripts. */
const contentOf = (index: number) => {
  const sample = SAMPLES[index % SAMPLES.length]
  if (!sample) throw new Error('there is no sample')
  const name = index % 40 === 0 ? names[(index / 40) % names.length]?.name : undefined
  return { ...sample.content, name: name || `香客${index}號`, checkins: index }
}

async function main(): Promise<void> {
  const startedAt = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) {
      await pool.render(contentOf(next++), 'normal')
      if (++rendered % Math.ceil(count / REPORTS) !== 0) continue
      const perSecond = rendered / ((performance.now() - startedAt) / 1000)
      console.log(
        JSON.stringify({
          rendered,
          rssMiB: Math.round(process.memoryUsage.rss() / MEBIBYTE),
          perSecond: Math.round(perSecond),
        }),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  pool.stop()
}

void main()
