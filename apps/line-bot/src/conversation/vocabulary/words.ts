import type { Localized } from '@palanquin/domain/language'
import type { Command } from './command.ts'

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
  walk: [
    ...[
      '我的進香',
      '進香',
      '我的旅程',
      '旅程',
      '我的頁面',
      '我的軌跡',
      '軌跡',
      '開始記錄',
      '記錄路線',
      '報名',
      '加入',
    ],
    ...['mywalk', 'walk', 'mypage', 'mytrack', 'track', 'record', 'recording', 'startrecording', 'join'],
  ],
  family: [
    ...[
      '家人',
      '給家人',
      '家人連結',
      '分享給家人',
      '報平安',
      '平安連結',
      '分享位置',
      '位置分享',
      '家人看我在哪',
    ],
    ...['family', 'familylink', 'sharewithfamily', 'sharemylocation', 'sharelocation', 'sharemyposition'],
  ],
  phones: [
    ...[
      '手機定位',
      '手機app',
      '定位app',
      '軌跡app',
      '自動定位',
      '背景定位',
      '自動記錄',
      '手機設定',
      '設定手機',
    ],
    ...['phone', 'phones', 'phoneapp', 'phoneapps', 'app', 'apps', 'locationapp', 'gps', 'setup'],
    ...['overland', 'owntracks', 'traccar', 'colota'],
  ],
  lost: [
    ...['走失', '走丟', '走散', '迷路', '失蹤', '失聯', '尋人', '協尋', '找人', '找不到人', '尋找家人'],
    ...[
      'lost',
      'missing',
      'lostperson',
      'missingperson',
      'found',
      'foundsomebody',
      'imlost',
      "i'mlost",
      'i’mlost',
      'iamlost',
    ],
    ...[
      '救命',
      '求救',
      '救我',
      '緊急',
      '緊急狀況',
      '危險',
      '有危險',
      '報警',
      '警察',
      '救護車',
      '救护车',
      '急救',
    ],
    ...['sos', 'emergency', 'helpme', 'danger', 'indanger', "i'mindanger", 'i’mindanger', 'iamindanger'],
    ...['ambulance', 'police', '110', '112', '119'],
  ],
  survey: ['問卷', '调查', '調查', '填問卷', '環保問卷', 'survey', 'questionnaire'],
  feedback: [
    ...['回報', '反映', '反應', '意見', '建議', '問題', '客訴', '聯絡', '聯絡我們', '回饋', '反馈'],
    ...['意見回饋', '意見反映', '意見反應', '回報問題', '問題回報', '客服', '投訴'],
    ...['feedback', 'report', 'problem', 'bug', 'contact', 'suggestion', 'support', 'givefeedback'],
    ...['feedbacklink', 'reportaproblem'],
  ],
  help: [
    ...['說明', '说明', '幫助', '帮助', '幫忙', '使用說明', '使用方法', '怎麼用'],
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

/** The names of the languages, which choose them. */
export const LANGUAGE_WORDS: Localized<readonly string[]> = {
  'zh-TW': ['中文', '繁體中文', '繁中', '國語', '台灣中文', 'chinese', '正體中文', 'zh-tw', 'zh'],
  en: ['英文', '英語', 'english', 'en', 'inenglish'],
}
