/** The commands of the bot, by a word, a button, or a cell of the rich menu. */
export const COMMANDS = [
  'checkin',
  'mileage',
  'card',
  'where',
  'map',
  'survey',
  'feedback',
  'help',
  'language',
  'stop',
  'resume',
  'erase',
] as const
export type Command = (typeof COMMANDS)[number]

/** A command that was recognised; some words choose a language too. */
export type CommandRequest = { command: Command; language?: 'zh-TW' | 'en' }

/** The words of each command, as `normalise` leaves them: no spaces, small letters. */
export const WORDS: Record<Command, readonly string[]> = {
  checkin: [
    ...['打卡', '簽到', '签到', '報到', '定位', '位置', '我的位置', '傳位置', '打咔', '打卡點'],
    ...['checkin', 'check-in', 'location', 'mylocation'],
  ],
  mileage: [
    ...['里程', '里數', '公里', '幾公里', '走了幾公里', '走了多遠', '走多遠', '步行', '步數'],
    ...['統計', '紀錄', '記錄'],
    ...['成績', '數據', '進度', '排名', '資料', '減碳', '碳足跡'],
    ...['等級', '级别', '等级', '段位', '稱號', '修為', '境界', '我是誰'],
    ...['mileage', 'distance', 'km', 'level', 'rank', 'stats', 'stat', 'statistics', 'summary'],
    ...['progress', 'status'],
    ...['carbon', 'carbonfootprint', 'howfar', 'me'],
  ],
  card: [
    ...['卡', '卡片', '圖卡', '成就', '成就卡', '分享', '分享卡', '分享圖', '分享圖卡', '證書'],
    ...['證明', '紀念卡', '香客卡'],
    ...['card', 'achievement', 'achievementcard', 'certificate', 'share', 'sharecard'],
  ],
  where: [
    ...['媽祖在哪', '媽祖在哪裡', '媽祖到哪了', '鑾轎在哪', '鑾轎在哪裡', '鑾轎到哪了', '鑾轎'],
    ...['在哪', '在哪裡', '到哪了', '到哪裡了'],
    ...['where', 'whereismazu', 'whereisshe', 'whereisthepalanquin', 'palanquin'],
  ],
  map: [...['地圖', '地图', '路線', '路線圖', '大家在哪'], ...['map', 'route']],
  survey: ['問卷', '调查', '調查', '填問卷', '環保問卷', 'survey', 'questionnaire'],
  feedback: [
    ...['回報', '反映', '反應', '意見', '建議', '問題', '客訴', '聯絡', '聯絡我們', '回饋', '反馈'],
    ...['意見回饋', '意見反映', '意見反應', '回報問題', '問題回報', '客服', '投訴'],
    ...['feedback', 'report', 'problem', 'bug', 'contact', 'suggestion', 'support', 'givefeedback'],
    ...['feedbacklink', 'reportaproblem'],
  ],
  help: [
    ...['說明', '说明', '幫助', '帮助', '幫忙', '救命', '使用說明', '使用方法', '怎麼用'],
    ...['怎麼玩', '功能', '選單', '菜單', '指令', '開始'],
    ...['help', 'menu', 'start', 'commands', 'howto', 'hi', 'hello', '你好', '您好', '嗨', '哈囉'],
  ],
  language: ['語言', '语言', '切換語言', 'language', 'lang'],
  stop: [
    ...['停止通知', '關閉通知', '取消通知', '不要通知', '停止', '取消訂閱', '通知關閉', '關通知', '停止訊息'],
    ...['stop', 'unsubscribe', 'mute', 'notificationsoff', 'stopnotifications'],
  ],
  resume: [
    ...['恢復通知', '開啟通知', '打開通知', '訂閱', '通知開啟', '開通知', '接收通知'],
    ...['resume', 'subscribe', 'unmute', 'notificationson', 'resumenotifications'],
  ],
  erase: [
    ...['刪除資料', '刪除我的資料', '刪除帳號', '删除资料', '清除資料', '刪掉我的資料', '忘記我'],
    ...['deletemydata', 'deletedata', 'erase', 'forgetme', 'deleteaccount'],
  ],
}

const LANGUAGE_WORDS: Record<'zh-TW' | 'en', readonly string[]> = {
  'zh-TW': ['中文', '繁體中文', '繁中', '國語', '台灣中文', 'chinese', '正體中文', 'zh-tw', 'zh'],
  en: ['英文', '英語', 'english', 'en', 'inenglish'],
}

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
for (const language of ['zh-TW', 'en'] as const)
  for (const word of LANGUAGE_WORDS[language]) known.set(word, { command: 'language', language })

/** NFKC, small letters, without spaces and the punctuation and particles around it: ` Ｍap？ ` and `地圖！` are words. */
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
  return known.get(word) ?? known.get(bare) ?? known.get(bare.replace(ASKING, '')) ?? report(text)
}

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
