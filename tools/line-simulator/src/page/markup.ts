/** A message, a component or an event as it came. Nothing in it is trusted, not even its shape. */
export type Drawn = Record<string, unknown>

const isDrawn = (value: unknown): value is Drawn =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A text or number of it; empty where there is none. */
export function text(node: Drawn | undefined, name: string): string {
  const value = node?.[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

export function child(node: Drawn | undefined, name: string): Drawn | undefined {
  const value = node?.[name]
  return isDrawn(value) ? value : undefined
}

export function children(node: Drawn | undefined, name: string): Drawn[] {
  const value = node?.[name]
  return Array.isArray(value) ? value.filter(isDrawn) : []
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, between tags and in quotes. */
export const escaped = (value: string): string =>
  value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

/** The attributes of something that can be tapped: the page reads the action from there. */
export const tappable = (action: Drawn | undefined): string =>
  action ? `data-action="${escaped(JSON.stringify(action))}" title="${escaped(hint(action))}"` : ''

const hint = (action: Drawn): string =>
  [text(action, 'type'), text(action, 'data') || text(action, 'uri') || text(action, 'text')]
    .filter(Boolean)
    .join(': ')

/** A picture through the stub, which knows the certificate of the gateway and fetches from nowhere else. */
export const picture = (kind: string, url: string, style = ''): string =>
  `<img class="${kind}" src="/_stub/picture?url=${encodeURIComponent(url)}" alt="${escaped(url)}" title="${escaped(url)}" style="${style}">`
