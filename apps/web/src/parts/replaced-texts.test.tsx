import { expect, test } from 'bun:test'
import { renderToString } from 'preact-render-to-string'
import { replaceTexts } from './replaced-texts.ts'

test('each text has an element whose key it is, but where there may be none, and blanks', () => {
  replaceTexts()
  const texts = (
    <p>
      {'now'} <b>{3}</b>
      {['one', 'two']}
      {null}
      <select>
        <option>{'map'}</option>
      </select>
    </p>
  )
  expect(renderToString(texts)).toBe(
    '<p><span>now</span> <b><span>3</span></b><span>one</span><span>two</span><select><option>map</option></select></p>',
  )
  expect((<i>{'now'}</i>).props.children).toMatchObject({ type: 'span', key: 'now' })
})
