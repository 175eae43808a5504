import { readdirSync, readFileSync } from 'node:fs'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { SAMPLES } from '../src/cards/gallery/samples.ts'
import { createCardPool } from '../src/cards/render/card-pool.ts'
import { cardMetrics } from '../src/cards/render/metrics.ts'
import { UNHURRIED } from './card-harness.ts'

/** Renders a card, and prints the niceness of every thread of this process as JSON (Linux only). */
const TASKS = '/proc/self/task'

function nicenessOf(thread: string): number {
  const stat = readFileSync(`${TASKS}/${thread}/stat`, 'utf8')
  // The second field is a name in parentheses, which may hold anything; the 19th is the niceness.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}

async function main(): Promise<void> {
  const pool = createCardPool({
    log: createLog({ service: 'media', level: 'silent' }),
    metrics: cardMetrics(createMetrics('media')),
    threads: 1,
    ...UNHURRIED,
  })
  const [sample] = SAMPLES
  if (sample) await pool.render(sample.content, 'normal')
  console.log(JSON.stringify(readdirSync(TASKS).map(nicenessOf)))
  pool.stop()
}

void main()
