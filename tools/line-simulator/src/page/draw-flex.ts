import { boxStyle, margin, textStyle } from './flex-style.ts'
import { child, children, type Drawn, escaped, picture, tappable, text } from './markup.ts'

const BLOCKS = ['header', 'hero', 'body', 'footer']

/** A Flex container: one bubble, or several beside each other. */
export function drawContainer(container: Drawn): string {
  const bubbles = text(container, 'type') === 'carousel' ? children(container, 'contents') : [container]
  return `<div class="carousel">${bubbles.map(drawBubble).join('')}</div>`
}

function drawBubble(bubble: Drawn): string {
  const blocks = BLOCKS.flatMap((name) => {
    const block = child(bubble, name)
    return block ? [drawBlock(bubble, name, block)] : []
  })
  const size = text(bubble, 'size').replace(/\W/g, '') || 'mega'
  return `<div class="card ${size}" ${tappable(child(bubble, 'action'))}>${blocks.join('')}</div>`
}

function drawBlock(bubble: Drawn, name: string, block: Drawn): string {
  const style = child(child(bubble, 'styles'), name)
  const line = style?.separator === true ? '<hr>' : ''
  const colour = text(style, 'backgroundColor')
  const background = /^#[0-9a-f]{6,8}$/i.test(colour) ? `background:${colour}` : ''
  return `${line}<div class="block ${name}" style="${background}">${drawComponent(block, 'vertical')}</div>`
}

/** One component, and what is in it; `layout` is that of the box around it. */
function drawComponent(node: Drawn, layout: string): string {
  const place = margin(node, layout)
  const tap = tappable(child(node, 'action'))
  switch (text(node, 'type')) {
    case 'box': {
      const inner = text(node, 'layout')
      const contents = children(node, 'contents').map((each) => drawComponent(each, inner))
      return `<div class="box ${escaped(inner)}" style="${boxStyle(node, layout)};${place}" ${tap}>${contents.join('')}</div>`
    }
    case 'text': {
      const spans = children(node, 'contents').map(
        (span) => `<span style="${textStyle(span, '')}">${escaped(text(span, 'text'))}</span>`,
      )
      const wrap = node.wrap === true ? 'wrap' : 'line'
      return `<div class="${wrap}" style="${textStyle(node, layout)};${place}" ${tap}>${spans.join('') || escaped(text(node, 'text'))}</div>`
    }
    case 'button': {
      const style = text(node, 'style').replace(/\W/g, '') || 'link'
      const label = escaped(text(child(node, 'action'), 'label'))
      return `<button class="${style}" style="${buttonColour(node, style)};${place}" ${tap}>${label}</button>`
    }
    case 'image':
      return `<div style="${place}" ${tap}>${picture('flex-image', text(node, 'url'), imageStyle(node))}</div>`
    case 'icon':
      return picture('icon', text(node, 'url'), place)
    case 'video':
      return picture('flex-image', text(node, 'previewUrl'), 'width:100%')
    case 'separator':
      return `<hr style="${place}">`
    default:
      return '<div class="filler"></div>'
  }
}

function buttonColour(node: Drawn, style: string): string {
  const colour = text(node, 'color')
  if (!/^#[0-9a-f]{6,8}$/i.test(colour)) return ''
  return style === 'link' ? `color:${colour}` : `background:${colour}`
}

function imageStyle(node: Drawn): string {
  const full = text(node, 'size') === 'full' ? 'width:100%' : 'max-width:60%'
  const ratio = text(node, 'aspectRatio').match(/^([\d.]+):([\d.]+)$/)
  const fit = text(node, 'aspectMode') === 'cover' ? 'cover' : 'contain'
  return `${full};object-fit:${fit}${ratio ? `;aspect-ratio:${ratio[1]}/${ratio[2]}` : ''}`
}
