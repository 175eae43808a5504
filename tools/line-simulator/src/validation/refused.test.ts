import { expect, test } from 'bun:test'
import { errorOfMessages } from './line-error.ts'
import { bubble, button, buttons, flex, image, postback, quick, text, word } from './samples.ts'

const first = (message: string, property: string) => ({ details: [{ message, property }] })
const inFlex = (message: string, property: string) => ({
  message: 'A message (messages[0]) in the request body is invalid',
  details: [{ message, property }],
})
const length = (from: number, to: number) => `Length must be between ${from} and ${to}`
const REFUSED: Record<string, [unknown, object]> = {
  'no messages': [[], first('Size must be between 1 and 5', 'messages')],
  'six messages': [Array(6).fill(text(1)), first('Size must be between 1 and 5', 'messages')],
  'a text message without text': [[{ type: 'text' }], first('May not be empty', 'messages[0].text')],
  'an empty text': [[text(0)], first('May not be empty', 'messages[0].text')],
  'a text that is a number': [
    [{ type: 'text', text: 5 }],
    first('invalid type: expected a string', 'messages[0].text'),
  ],
  'a text of 5001': [[text(5001)], first(length(1, 5000), 'messages[0].text')],
  'a text of 2501 emoji': [
    [{ type: 'text', text: '👵'.repeat(2501) }],
    first(length(1, 5000), 'messages[0].text'),
  ],
  'no type': [[{ text: 'hi' }], first('must be specified', 'messages[0].type')],
  'a misspelt property': [[{ ...text(1), quickreply: {} }], first('unknown field', 'messages[0].quickreply')],
  'fourteen quick replies': [
    [quick(14)],
    first('Size must be between 1 and 13', 'messages[0].quickReply.items'),
  ],
  'a quick reply without a label': [
    [quick(1, { type: 'message', text: 'hi' })],
    first('May not be empty', 'messages[0].quickReply.items[0].action.label'),
  ],
  'a label of 21': [
    [quick(1, postback({ label: 'l'.repeat(21) }))],
    first(length(1, 20), 'messages[0].quickReply.items[0].action.label'),
  ],
  'postback data of 301': [
    [quick(1, postback({ data: 'd'.repeat(301) }))],
    first(length(0, 300), 'messages[0].quickReply.items[0].action.data'),
  ],
  'displayText beside text': [
    [quick(1, postback({ displayText: 'a', text: 'b' }))],
    first('displayText and text cannot both be set', 'messages[0].quickReply.items[0].action'),
  ],
  'a picture over http': [
    [{ ...image('https://a.b/c.png'), previewImageUrl: 'http://a.b/c.png' }],
    first('invalid uri scheme', 'messages[0].previewImageUrl'),
  ],
  'an address that is not percent-encoded': [
    [{ ...image('https://a.b/c.png'), originalContentUrl: 'https://a.b/媽祖.png' }],
    first('invalid uri', 'messages[0].originalContentUrl'),
  ],
  'an address of 2001': [
    [{ ...image('https://a.b/c.png'), originalContentUrl: `https://a.b/${'c'.repeat(1989)}` }],
    first(length(1, 2000), 'messages[0].originalContentUrl'),
  ],
  'an alternative text of 1501': [
    [flex(bubble(word()), 'a'.repeat(1501))],
    first(length(1, 1500), 'messages[0].altText'),
  ],
  'five buttons in a template': [
    [buttons({ actions: Array(5).fill(postback()) })],
    first('Size must be between 1 and 4', 'messages[0].template.actions'),
  ],
  'a bubble without a block': [
    [flex({ type: 'bubble' })],
    inFlex('At least one block must be specified', '/'),
  ],
  'an empty Flex text': [
    [flex(bubble(word({ text: '' })))],
    inFlex('must be non-empty text', '/body/contents/0/text'),
  ],
  'a Flex text of nothing': [
    [flex(bubble({ type: 'text' }))],
    inFlex('text or contents must be specified', '/body/contents/0'),
  ],
  'a size that LINE does not know': [
    [flex(bubble(word({ size: 'huge' })))],
    inFlex('invalid property', '/body/contents/0/size'),
  ],
  'a colour by name': [
    [flex(bubble(word({ color: 'red' })))],
    inFlex('invalid property', '/body/contents/0/color'),
  ],
  'CSS in a Flex text': [
    [flex(bubble(word({ fontSize: '12px' })))],
    inFlex('unknown field', '/body/contents/0/fontSize'),
  ],
  'a button in a baseline box': [
    [flex(bubble({ type: 'box', layout: 'baseline', contents: [{ type: 'button', action: postback() }] }))],
    inFlex('Must be one of the following values: [icon, text, filler]', '/body/contents/0/contents/0/type'),
  ],
  'a box without a layout': [
    [flex(bubble({ type: 'box', contents: [] }))],
    inFlex('must be specified', '/body/contents/0/layout'),
  ],
  'a button without a label': [
    [button({ type: 'message', text: 'hi' })],
    inFlex('May not be empty', '/body/contents/0/action/label'),
  ],
  'a camera outside of quick replies': [
    [button({ type: 'camera', label: 'x' })],
    inFlex(
      'Must be one of the following values: [postback, message, uri, datetimepicker, clipboard]',
      '/body/contents/0/action/type',
    ),
  ],
  'a script as a link': [
    [button({ type: 'uri', label: 'x', uri: 'javascript:alert(1)' })],
    inFlex('invalid uri scheme', '/body/contents/0/action/uri'),
  ],
  'a bubble above 30 KB': [
    [flex(bubble(...Array.from({ length: 20 }, () => word({ text: '媽'.repeat(600) }))))],
    inFlex('the JSON must be 30 KB or less', '/'),
  ],
  'thirteen bubbles': [
    [flex({ type: 'carousel', contents: Array.from({ length: 13 }, () => bubble(word())) })],
    inFlex('Size must be between 1 and 12', '/contents'),
  ],
  'bubbles of two sizes': [
    [flex({ type: 'carousel', contents: [bubble(word()), { ...bubble(word()), size: 'kilo' }] })],
    inFlex('all bubbles must have the same size', '/'),
  ],
}
for (const [name, [messages, answer]] of Object.entries(REFUSED))
  test(`refused: ${name}`, () => expect(errorOfMessages(messages)).toMatchObject(answer))

test('anything at all is judged without falling over', () => {
  for (const messages of [
    null,
    undefined,
    'text',
    5,
    {},
    [null],
    [[]],
    [{ type: 'constructor' }],
    [{ type: 'flex', contents: [] }],
  ])
    expect(errorOfMessages(messages)).toBeDefined()
})
