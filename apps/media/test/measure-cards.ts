import { Resvg } from '@resvg/resvg-js'
import { type Node, Renderer } from '@takumi-rs/core'
import { SAMPLES } from '../src/cards/gallery/samples.ts'
import { openFonts } from '../src/cards/render/fonts.ts'
import { type Element, FOREGROUND, foregroundOf, foregroundSvg } from '../src/cards/render/foreground.ts'
import { createRenderer } from '../src/cards/render/renderer.ts'
import { backgroundSvg, CARD_HEIGHT, CARD_WIDTH } from '../src/themes/themes.ts'

/** Measures cards in one thread against what they are measured by, by turns, and prints it as JSON. */
const [rounds = 5, cardsPerRound = 20] = process.argv.slice(2).map(Number)

const renderer = createRenderer()
const scenes = SAMPLES.filter(({ name }) => /zh-TW/.test(name) && !/level-0/.test(name))
let people = 0
/** Never the same card twice: another name, other figures. */
const nextContent = () => {
  const person = people++
  const sample = scenes[person % 3] ?? scenes[0]
  if (!sample) throw new Error('there is no sample')
  return {
    ...sample.content,
    name: `香客${person}號林媽媽`,
    checkins: sample.content.checkins + (person % 90),
  }
}
type Content = ReturnType<typeof nextContent>

/** The whole card as one SVG: the scene, and the words on it. */
const wholeSvg = (content: Content, foreground: string): string =>
  backgroundSvg(content).replace(
    /<\/svg>$/,
    foreground.replace('<svg ', `<svg x="${FOREGROUND.left}" y="${FOREGROUND.top}" `).concat('</svg>'),
  )
const resvgPng = (svg: string): Uint8Array =>
  new Resvg(svg, { font: { loadSystemFonts: false }, logLevel: 'off' }).render().asPng()

/** A card's element tree as takumi wants it. */
const nodeOf = ({ type, props: { style, children, src, width, height } }: Element): Node => {
  if (type === 'img') return { type: 'image', src: src ?? '', style: { ...style, width, height } }
  if (typeof children === 'string') return { type: 'text', text: children, style }
  return { type: 'container', style, children: [children ?? []].flat().map(nodeOf) }
}

async function takumiRenderer() {
  const takumi = new Renderer()
  await takumi.registerFont({ name: renderer.fonts.main.family, data: renderer.fonts.main.data, weight: 700 })
  const backgrounds = new Map<string, { src: string; data: Uint8Array }>()
  return async (content: Content): Promise<Uint8Array> => {
    const key = `scene-${content.level}-${content.unlocked}.png`
    const background = backgrounds.get(key) ?? { src: key, data: resvgPng(backgroundSvg(content)) }
    backgrounds.set(key, background)
    const { root } = foregroundOf(content, renderer.fonts)
    const node: Node = {
      type: 'container',
      style: { width: CARD_WIDTH, height: CARD_HEIGHT, position: 'relative', display: 'flex' },
      children: [
        {
          type: 'image',
          src: key,
          style: { position: 'absolute', left: 0, top: 0, width: CARD_WIDTH, height: CARD_HEIGHT },
        },
        {
          type: 'container',
          style: { position: 'absolute', left: FOREGROUND.left, top: FOREGROUND.top },
          children: [nodeOf(root)],
        },
      ],
    }
    return takumi.render(node, {
      width: CARD_WIDTH,
      height: CARD_HEIGHT,
      format: 'png',
      images: [background],
    })
  }
}

/** Milliseconds a card. */
async function perCard(count: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  for (let i = 0; i < count; i++) await work()
  return (performance.now() - startedAt) / count
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

async function main(): Promise<void> {
  const takumiPng = await takumiRenderer()
  const spent = { layoutMs: [] as number[], rasterMs: [] as number[], encodeMs: [] as number[] }
  const ours = async () => {
    const card = await renderer.render(nextContent())
    for (const stage of ['layoutMs', 'rasterMs', 'encodeMs'] as const) spent[stage].push(card.spent[stage])
  }
  const naive = async () => {
    const content = nextContent()
    resvgPng(wholeSvg(content, await foregroundSvg(content, openFonts())))
  }
  const measured = {
    ours: [] as number[],
    resvg: [] as number[],
    naive: [] as number[],
    takumi: [] as number[],
  }
  for (let round = -1; round < rounds; round++) {
    const contents = Array.from({ length: cardsPerRound }, nextContent)
    const svgs = await Promise.all(
      contents.map(async (content) => wholeSvg(content, await foregroundSvg(content, renderer.fonts))),
    )
    const result = {
      resvg: await perCard(cardsPerRound, async () => resvgPng(svgs.pop() ?? '')),
      ours: await perCard(cardsPerRound, ours),
      takumi: await perCard(cardsPerRound, () => takumiPng(nextContent())),
      naive: await perCard(Math.ceil(cardsPerRound / 5), naive),
    }
    if (round < 0) {
      for (const stage of Object.values(spent)) stage.length = 0 // everything is compiled and prepared now
      continue
    }
    for (const [name, value] of Object.entries(result))
      if (name === 'ours' || name === 'resvg' || name === 'naive' || name === 'takumi')
        measured[name].push(value)
  }
  const stages = Object.fromEntries(Object.entries(spent).map(([stage, values]) => [stage, median(values)]))
  console.log(JSON.stringify({ ...measured, ...stages }))
}

void main()
