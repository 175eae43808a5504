import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { COMMANDS } from './command.ts'
import { actionOf, postbackData } from './postback.ts'
import { commandOf, normalise } from './recognise.ts'
import { WORDS } from './words.ts'

test.each([
  ['里程', 'mileage'],
  ['  我的里程  ', 'mileage'],
  ['請問走了幾公里？', 'mileage'],
  ['ＬＥＶＥＬ', 'mileage'],
  ['Show me my level!', 'mileage'],
  ['等級', 'mileage'],
  ['我要打卡', 'checkin'],
  ['check-in', 'checkin'],
  ['Check in', 'checkin'],
  ['成就卡', 'card'],
  ['My card', 'card'],
  ['地圖!!!', 'map'],
  ['媽祖在哪裡呢', 'where'],
  ['媽祖在哪', 'where'],
  ['請問鑾轎在哪？', 'where'],
  ['where', 'where'],
  ['Where is Mazu?', 'where'],
  ['大家在哪', 'map'],
  ['Help', 'help'],
  ['說明。', 'help'],
  ['問卷', 'survey'],
  ['回報', 'feedback'],
  ['意見回饋', 'feedback'],
  ['回報問題 補給站沒水了', 'feedback'],
  ['我要回報：橋斷了', 'feedback'],
  ['回饋連結', 'feedback'],
  ['里程查詢', 'mileage'],
  ['我的統計資料', 'mileage'],
  ['Share card', 'card'],
  ['停止通知', 'stop'],
  ['STOP', 'stop'],
  ['resume', 'resume'],
  ['恢復通知', 'resume'],
  ['刪除我的資料', 'erase'],
  ['Delete my data.', 'erase'],
  ['語言', 'language'],
  ['我的進香', 'walk'],
  ['My walk', 'walk'],
  ['我要加入', 'walk'],
  ['分享位置', 'family'],
  ['Share my location', 'family'],
  ['手機定位', 'phones'],
  ['OwnTracks', 'phones'],
  ['走失', 'lost'],
  ['阿嬤走失了！', 'lost'],
  ['走失 我媽媽在大甲', 'lost'],
  ["I'm lost", 'lost'],
  ['I’m lost!', 'lost'],
  ['Lost person', 'lost'],
  ['救命', 'lost'],
  ['救命啊！！', 'lost'],
  ['快點 救命 有人昏倒', 'lost'],
  ['緊急狀況', 'lost'],
  ['119', 'lost'],
  ['SOS', 'lost'],
  ['Emergency!', 'lost'],
  ['Help me!', 'lost'],
  ["I'm in danger", 'lost'],
] as const)('%s asks for %s', (text, command) => {
  expect(commandOf(text)?.command).toBe(command)
})

test('the name of a language chooses that language', () => {
  expect(commandOf('English')).toEqual({ command: 'language', language: 'en' })
  expect(commandOf('中文')).toEqual({ command: 'language', language: 'zh-TW' })
})

test.each([
  '',
  ' ',
  '？',
  '今天走了好多公里好累',
  'stop it, you are great',
  '不要刪除我的資料',
  '說明 刪除資料',
  'problem solved, thanks',
  '請',
  'a'.repeat(5000),
])('%j asks for nothing', (text) => {
  expect(commandOf(text)).toBeNull()
})

test('no word has two commands, and every word can be typed', () => {
  const words = COMMANDS.flatMap((command) => WORDS[command])
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([])
  for (const command of COMMANDS)
    for (const word of WORDS[command]) {
      expect({ word, normal: normalise(word) }).toEqual({ word, normal: word })
      expect(commandOf(` ${word.toUpperCase()}！`)?.command).toBe(command)
    }
})

test('any text is read without a fault, and normalising it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      commandOf(text)
      expect(normalise(normalise(text))).toBe(normalise(text))
    }),
    { seed: 11, numRuns: 500 },
  )
})

test.each([
  ['v=1&a=level', 'mileage'],
  ['v=1&a=Help', 'help'],
  ['a=help', 'help'],
  ['action=stats', 'mileage'],
  ['cmd=feedback', 'feedback'],
  ['command=%E7%AD%89%E7%B4%9A', 'mileage'],
  ['stats', 'mileage'],
  ['分享卡', 'card'],
] as const)('a button of another tool that says %s means %s, as the word does', (data, action) => {
  expect(actionOf(data)).toEqual({ action })
})

test('the data of a button comes back as it was; another version or anything else is null', () => {
  for (const action of COMMANDS) expect(actionOf(postbackData({ action }))).toEqual({ action })
  for (const action of [
    { action: 'choose', language: 'en' },
    { action: 'erase-yes', askedMs: 1_777_000_000_000 },
    { action: 'erase-no' },
  ] as const)
    expect(actionOf(postbackData(action))).toEqual(action)
  for (const data of [
    '',
    'v=1',
    'v=2&a=help',
    'v=1&a=choose&l=ja',
    'v=1&a=day',
    'choose',
    'storeId=12345',
    'richmenu-changed-to-b',
    'v=1&a=erase-yes&t=-1',
  ])
    expect({ data, action: actionOf(data) }).toEqual({ data, action: null })
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (data) => void actionOf(data)),
    { seed: 12 },
  )
})
