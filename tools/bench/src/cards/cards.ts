import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type Benchmark, median, ROUNDS } from '../benchmark.ts'
import { whileDrawing } from './while-drawing.ts'

/** Apps are started by path and never imported. */
const MEASURE_FILE = join(PROJECT_ROOT, 'apps/media/test/measure-cards.ts')
const CARDS_PER_ROUND = 20
/** Twice as fast as reading the fonts for every card. */
const NAIVE_RATIO_WANTED = 0.5

const Figures = Type.Array(Type.Number())
const outcome = Compile(
  Type.Object({
    ours: Figures,
    resvg: Figures,
    naive: Figures,
    takumi: Figures,
    layoutMs: Type.Number(),
    rasterMs: Type.Number(),
    encodeMs: Type.Number(),
  }),
)

/** A share card, from its figures to the PNG, in one thread with fonts and scenes prepared. */
export const cards: Benchmark = {
  name: 'cards',
  question: 'a share card from its figures to the PNG, against resvg alone on the SVG of the same card',
  better: 'less',
  wanted: 1.3,
  run: async (log, { quick }) => {
    const child = Bun.spawn(
      [process.execPath, '--no-env-file', MEASURE_FILE, String(quick ? 1 : ROUNDS), String(CARDS_PER_ROUND)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const text = await new Response(child.stdout).text()
    const measured: unknown = (await child.exited) === 0 ? JSON.parse(text) : undefined
    if (!outcome.Check(measured)) throw new Error('the cards could not be measured')
    const { ours, resvg, naive, takumi, layoutMs, rasterMs, encodeMs } = measured
    const perSecond = 1000 / median(ours)
    const times = (of: number[]) => (median(of) / median(ours)).toFixed(2)
    log(`${perSecond.toFixed(1)} cards a second and core`)
    return {
      unit: 'ms a card',
      ours,
      yardstick: resvg,
      notes: [
        `${perSecond.toFixed(1)} cards a second and core: layout ${layoutMs.toFixed(1)}, raster ${rasterMs.toFixed(1)}, encode ${encodeMs.toFixed(1)} ms`,
        `@takumi-rs/core on the same card and scene: ${times(takumi)} × ours`,
      ],
      also: [
        {
          name: 'cards, naive',
          better: 'less',
          wanted: NAIVE_RATIO_WANTED,
          unit: 'ms a card',
          ours,
          yardstick: naive,
          notes: ['against satori and resvg with the fonts read for every card'],
        },
        ...(await whileDrawing(log, quick ? 1 : ROUNDS)),
      ],
    }
  },
}
