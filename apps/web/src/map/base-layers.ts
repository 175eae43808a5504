import { layers, namedFlavor } from '@protomaps/basemaps'
import { addProtocol, type LayerSpecification, type SourceSpecification } from 'maplibre-gl'
import { Protocol } from 'pmtiles'
import { TEXT_FONT } from './text-font.ts'

type BaseMap = { sources: Record<string, SourceSpecification>; layers: LayerSpecification[] }

const SOURCE = 'protomaps'

/** The layers of the operator's own OpenStreetMap tiles; null where the page announces none. */
export function baseMap({ dark }: { dark: boolean }): BaseMap | null {
  const path = document.querySelector<HTMLMetaElement>('meta[name="base-map"]')?.content
  if (!path?.startsWith('/')) return null
  addProtocol('pmtiles', new Protocol().tile)
  const lang = document.documentElement.lang === 'en' ? 'en' : 'zh-Hant'
  return {
    sources: { [SOURCE]: { type: 'vector', url: `pmtiles://${location.origin}${path}` } },
    layers: layers(SOURCE, namedFlavor(dark ? 'dark' : 'light'), { lang }).flatMap(withoutSprites),
  }
}

/** Neither icons nor glyph files are served: names are drawn with the phone's own fonts. */
function withoutSprites(layer: LayerSpecification): LayerSpecification[] {
  if (layer.type !== 'symbol') return [layer]
  const { layout } = layer
  if (layout?.['text-field'] === undefined || /shields|pois/.test(layer.id)) return []
  const texts = Object.fromEntries(Object.entries(layout).filter(([name]) => !name.startsWith('icon-')))
  return [{ ...layer, layout: { ...texts, 'text-font': TEXT_FONT } }]
}
