import { LANGUAGES } from '@palanquin/domain/language'
import { COMMANDS, type CommandRequest } from './command.ts'
import { LANGUAGE_WORDS, WORDS } from './words.ts'

/** Courtesies before the word itself, the longest first. */
const COURTESIES = [
  '請問',
  '麻煩',
  '我想要',
  '我想看',
  '我想',
  '我要看',
  '我要',
  '想看',
  '查詢',
  '查看',
  '看看',
  '顯示',
  '請',
  '查',
  '看',
  '我的',
  '個人',
]
/** Courtesies after it: 里程查詢. */
const ASKING = /(查詢|資料|連結)$/u
const COURTESIES_EN = ['please', 'showmemy', 'showme', 'showmy', 'show', 'my']
/** Longer than any word of the list with its courtesies. */
const UNITS_MAX = 40

const known = new Map<string, CommandRequest>()
for (const command of COMMANDS) for (const word of WORDS[command]) known.set(word, { command })
for (const language of LANGUAGES)
  for (const word of LANGUAGE_WORDS[language]) known.set(word, { command: 'language', language })

/** NFKC, small letters, without spaces, punctuation and particles around it. */
export const normalise = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, '')
    .replace(/^[\p{P}\p{S}\p{M}]+/u, '')
    .replace(/(?<![\p{P}\p{S}\p{M}])[\p{P}\p{S}\p{M}]+$/u, '')

/** The command in a text; null when there is none. */
export function commandOf(text: string): CommandRequest | null {
  if (text.length > UNITS_MAX * 2) return null
  const word = normalise(text)
  if (word.length > UNITS_MAX) return null
  const bare = withoutCourtesy(word)
  return (
    known.get(word) ?? known.get(bare) ?? known.get(bare.replace(ASKING, '')) ?? report(text) ?? alarm(word)
  )
}

/** 阿嬤走失了, 快救命: words of one's own for an emergency. */
const alarm = (word: string): CommandRequest | null =>
  /走失|走丟|失蹤|救命|求救/u.test(word) ? { command: 'lost' } : null

/** 回報問題 補給站沒水了: a user who goes on after the word gets the page for it. */
function report(text: string): CommandRequest | null {
  const [first = ''] = text.trim().split(/[\s:：,，]/u)
  const request = /^\p{Script=Han}+$/u.test(first) ? known.get(withoutCourtesy(first)) : undefined
  return request?.command === 'feedback' ? request : null
}

function withoutCourtesy(word: string): string {
  let rest = word.replace(/(?<![呢嗎吧啊喔哦耶了])[呢嗎吧啊喔哦耶了]+$/u, '')
  for (let step = 0; step < 3; step++) {
    const courtesy = [...COURTESIES, ...COURTESIES_EN].find(
      (one) => rest.startsWith(one) && rest.length > one.length,
    )
    if (courtesy === undefined) break
    rest = rest.slice(courtesy.length)
  }
  return rest
}
