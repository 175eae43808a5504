import { drawContainer } from './draw-flex.ts'
import { child, children, type Drawn, escaped, picture, tappable, text } from './markup.ts'

/** A message as LINE's phone draws it, as HTML that is safe whatever the bot wrote. */
export function drawMessage(message: Drawn): string {
  const container = child(message, 'contents')
  const template = child(message, 'template')
  switch (text(message, 'type')) {
    case 'text':
    case 'textV2':
      return bubble(linked(escaped(text(message, 'text'))))
    case 'flex':
      return container ? drawContainer(container) : ''
    case 'image':
    case 'video':
      return picture('photo', text(message, 'previewImageUrl'))
    case 'template':
      return template ? drawTemplate(template) : ''
    case 'location':
      return bubble(`📍 <b>${escaped(text(message, 'title'))}</b><br>${escaped(text(message, 'address'))}`)
    default:
      return bubble(`[${escaped(text(message, 'type'))}]`)
  }
}

/** The buttons under the latest message. */
export const drawQuickReplies = (message: Drawn): string =>
  children(child(message, 'quickReply'), 'items')
    .map((item) => child(item, 'action'))
    .map((action) => `<button class="quick" ${tappable(action)}>${escaped(text(action, 'label'))}</button>`)
    .join('')

/** What the user did, on the right side of the chat; `shownAs` is what LINE shows in its place. */
export function drawEvent(event: Drawn, shownAs?: string): string {
  if (shownAs !== undefined) return bubble(escaped(shownAs))
  const type = text(event, 'type')
  const message = child(event, 'message')
  if (type === 'postback') return note(`tapped: ${escaped(text(child(event, 'postback'), 'data'))}`)
  if (type !== 'message' || !message) return note(escaped(type))
  switch (text(message, 'type')) {
    case 'text':
      return bubble(linked(escaped(text(message, 'text'))))
    case 'location':
      return bubble(
        `📍 ${escaped(`${text(message, 'title')} ${text(message, 'latitude')}, ${text(message, 'longitude')}`)}`,
      )
    case 'image':
      return `<img class="photo" src="/_stub/content/${encodeURIComponent(text(message, 'id'))}" alt="photo">`
    default:
      return bubble(`[${escaped(text(message, 'type'))}]`)
  }
}

const bubble = (html: string) => `<div class="bubble">${html}</div>`
const note = (html: string) => `<div class="note">${html}</div>`

/** Addresses in a text can be opened; the text is escaped already. */
const linked = (html: string): string =>
  html.replace(
    /https?:\/\/[^\s<"]+/g,
    (url) => `<a href="${url}" target="_blank" rel="noreferrer">${url}</a>`,
  )

function drawTemplate(template: Drawn): string {
  const columns = children(template, 'columns')
  return `<div class="carousel">${(columns.length > 0 ? columns : [template]).map(drawCard).join('')}</div>`
}

function drawCard(card: Drawn): string {
  const source = text(card, 'thumbnailImageUrl') || text(card, 'imageUrl')
  const actions = [...children(card, 'actions'), child(card, 'action')].filter(
    (action) => action !== undefined,
  )
  const buttons = actions.map(
    (action) => `<button class="link" ${tappable(action)}>${escaped(text(action, 'label'))}</button>`,
  )
  const head = source ? picture('flex-image', source, 'width:100%') : ''
  return `<div class="card kilo">${head}<div class="words"><b>${escaped(text(card, 'title'))}</b><div class="wrap">${escaped(text(card, 'text'))}</div></div>${buttons.join('')}</div>`
}
