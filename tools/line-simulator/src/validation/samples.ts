/** Pieces of messages that LINE takes, for the tests of what it takes and refuses. */

export const text = (length: number) => ({ type: 'text', text: 'x'.repeat(length) })
export const bubble = (...contents: object[]) => ({
  type: 'bubble',
  body: { type: 'box', layout: 'vertical', contents },
})
export const flex = (contents: object, altText = 'alt') => ({ type: 'flex', altText, contents })
export const word = (more: object = {}) => ({ type: 'text', text: 'hello', ...more })
export const button = (action: object) => flex(bubble({ type: 'button', action }))
export const postback = (more: object = {}) => ({
  type: 'postback',
  label: 'Level',
  data: 'v=1&a=level',
  ...more,
})
export const quick = (count: number, action: object = postback()) => ({
  ...text(1),
  quickReply: { items: Array.from({ length: count }, () => ({ type: 'action', action })) },
})
export const image = (url: string) => ({ type: 'image', originalContentUrl: url, previewImageUrl: url })
export const buttons = (more: object = {}) => ({
  type: 'template',
  altText: 'alt',
  template: { type: 'buttons', text: 'choose', actions: [postback()], ...more },
})
