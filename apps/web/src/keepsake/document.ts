import type { Drawn, Sheet } from './drawing.ts'
import { DARK_PICTURE, dayMark, pictureOf } from './picture.ts'
import type { DayStory } from './story.ts'

/** A picture as it stands in the file: a `data:` URL of a JPEG. */
export type KeptPhoto = { src: string; caption: string; place: [number, number] | null }

export type KeepsakeFile = {
  lang: string
  title: string
  eventName: string
  figures: readonly { name: string; value: string }[]
  summary: string
  days: readonly DayStory[]
  photos: ReadonlyMap<string, KeptPhoto>
  drawn: Drawn
  sheet: Sheet
  card: { src: string; alt: string } | null
  words: { map: string; legend: string; days: string; made: string; credit: string }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}
/** A text in the content of an element, or in a quoted attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"'`]/g, (sign) => ENTITIES[sign] ?? '')

/** Nothing may be loaded and nothing may run. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
const PICTURE = /^data:image\/jpeg;base64,[A-Za-z0-9+/]+=*$/

const STYLE = `:root{color-scheme:light dark;--paper:#fdf7ec;--ink:#2d2136;--soft:#66566b;--line:#e2d3bd}
@media(prefers-color-scheme:dark){:root{--paper:#17122a;--ink:#f6ecdf;--soft:#cbbdd4;--line:#43386a}}
*{box-sizing:border-box}body{margin:0 auto;max-width:44rem;padding:20px 16px 60px;background:var(--paper);color:var(--ink);font:18px/1.6 system-ui,"PingFang TC","Noto Sans TC",sans-serif;overflow-wrap:anywhere}
h1{line-height:1.25;margin:0}h2{line-height:1.35;margin:0 0 4px;font-size:1.1rem}p{margin:6px 0}.small{color:var(--soft);font-size:.95rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:12px;margin:16px 0}dt{color:var(--soft)}dd{margin:0;font-size:1.5rem;font-weight:700}
svg,img{display:block;width:100%;height:auto;border-radius:12px}section{padding:16px 0;border-top:2px solid var(--line)}figure{margin:12px 0}
.photos{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:12px}`

/** The look back as one HTML document that needs nothing else: every text escaped, no id, address or script. */
export function keepsakeDocument(file: KeepsakeFile): string {
  const { lang, title, eventName, figures, summary, days, photos, card, words, drawn, sheet } = file
  const places = [...photos.values()].flatMap(({ place }) => (place === null ? [] : [place]))
  const heading = eventName === '' ? title : `${title} · ${eventName}`
  return `<!doctype html>
<html lang="${escaped(lang)}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escaped(heading)}</title><style>${STYLE}${DARK_PICTURE}</style></head><body><main>
<h1>${escaped(heading)}</h1><p>${escaped(summary)}</p>
<dl>${figures.map(({ name, value }) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>
<figure>${pictureOf({ drawn, sheet, photos: places, label: escaped(words.map) })}<figcaption class="small">${escaped(words.legend)}</figcaption></figure>
<h2>${escaped(words.days)}</h2>
${days.map((day) => sectionOf(day, photos)).join('\n')}
${card !== null && PICTURE.test(card.src) ? `<section><img src="${card.src}" alt="${escaped(card.alt)}"></section>` : ''}
<p class="small">${escaped(words.made)} ${escaped(words.credit)}</p>
</main></body></html>
`
}

function sectionOf(
  { index, title, facts, way, night, photos: own }: DayStory,
  kept: KeepsakeFile['photos'],
): string {
  const photos = own.flatMap(({ id }) => kept.get(id) ?? []).filter(({ src }) => PICTURE.test(src))
  return `<section><h2><svg viewBox="0 0 24 24" style="display:inline;width:1.2em;vertical-align:-.2em" aria-hidden="true">${dayMark(index, [12, 12])}</svg> ${escaped(title)}</h2>
<p>${facts.map(escaped).join(' · ')}</p>${[way, night].map((line) => (line === null ? '' : `<p>${escaped(line)}</p>`)).join('')}
${photos.length === 0 ? '' : `<div class="photos">${photos.map(({ src, caption }) => `<figure><img src="${src}" alt="${escaped(caption)}"><figcaption class="small">${escaped(caption)}</figcaption></figure>`).join('')}</div>`}</section>`
}
