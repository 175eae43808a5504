import { expect, test } from 'bun:test'
import { errorOfMessages } from './line-error.ts'
import { bubble, button, buttons, flex, image, postback, quick, text, word } from './samples.ts'

const TAKEN: Record<string, unknown[]> = {
  'a text of 5000 UTF-16 units': [text(5000)],
  'a text of 2500 emoji': [{ type: 'text', text: '👵'.repeat(2500) }],
  'five messages': [text(1), text(1), text(1), text(1), text(1)],
  'thirteen quick replies': [quick(13)],
  'a location quick reply': [quick(1, { type: 'location', label: 'Here' })],
  'postback data of 300': [quick(1, postback({ data: 'd'.repeat(300) }))],
  'a label of 20': [button(postback({ label: 'l'.repeat(20) }))],
  'a Flex bubble with everything in it': [
    flex({
      type: 'bubble',
      size: 'mega',
      hero: {
        type: 'image',
        url: 'https://example.com/a.png',
        size: 'full',
        aspectRatio: '20:13',
        aspectMode: 'cover',
      },
      body: {
        type: 'box',
        layout: 'vertical',
        spacing: 'md',
        paddingAll: '12.5px',
        contents: [
          word({ size: 'xl', weight: 'bold', color: '#1db446', wrap: true, margin: 'xxl' }),
          { type: 'text', contents: [{ type: 'span', text: 'a', size: '20px', decoration: 'underline' }] },
          { type: 'separator', margin: 'lg', color: '#00000033' },
          {
            type: 'box',
            layout: 'baseline',
            contents: [
              { type: 'icon', url: 'https://example.com/i.png', size: 'sm' },
              word({ flex: 0 }),
              { type: 'filler' },
            ],
          },
          {
            type: 'box',
            layout: 'vertical',
            contents: [],
            width: '42%',
            height: '6px',
            cornerRadius: 'sm',
            background: {
              type: 'linearGradient',
              angle: '90deg',
              startColor: '#ffffff',
              endColor: '#000000',
            },
          },
        ],
      },
      footer: {
        type: 'box',
        layout: 'horizontal',
        contents: [{ type: 'button', style: 'primary', action: postback() }],
      },
      styles: { footer: { separator: true, backgroundColor: '#ffffff' } },
    }),
  ],
  'twelve bubbles': [flex({ type: 'carousel', contents: Array.from({ length: 12 }, () => bubble(word())) })],
  'a sticker, a place and a picture': [
    { type: 'sticker', packageId: '446', stickerId: '1988' },
    { type: 'location', title: '拱天宮', address: '通霄鎮', latitude: 24.5, longitude: 120.7 },
    image('https://example.com/a.jpg'),
  ],
  'a buttons template': [buttons()],
  'a link to call, and one to a page': [button({ type: 'uri', label: 'Call', uri: 'tel:0900000000' })],
}
for (const [name, messages] of Object.entries(TAKEN))
  test(`taken: ${name}`, () => expect(errorOfMessages(messages)).toBeUndefined())
