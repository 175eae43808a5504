import { expect, test } from 'bun:test'
import { cardInWords } from './card-in-words'

test('a card says its figures in both languages, with or without a name, level or figures', () => {
  const card = { name: '阿明', km: 20.5, checkins: 7, level: 2 }
  expect(cardInWords(card, 'zh-TW')).toEqual({
    title: '阿明的進香卡',
    description: '🧱 築基香客。走了 20.5 公里，打卡 7 次',
  })
  expect(cardInWords({ ...card, name: null }, 'en')).toEqual({
    title: 'A pilgrimage card',
    description: '🧱 Foundation Pilgrim. 20.5 km, check-ins: 7',
  })
  const unread = { name: null, km: null, checkins: null, level: 0 }
  expect(cardInWords(unread, 'zh-TW').description).toBe('一路同行的紀念卡')
  expect(cardInWords({ ...card, name: '{km}' }, 'zh-TW').title).toBe('{km}的進香卡')
})
