import type { LinkCommand } from '../vocabulary/command.ts'

export type LinkTexts = Readonly<
  Record<LinkCommand, { title: string; text: string; open: string; missing: string }>
>

/** What the bot says of each page that it leads to. */
export const zhTwLinks: LinkTexts = {
  map: {
    title: '大家走到哪裡了',
    text: '打開地圖，看隊伍現在的位置。',
    open: '打開地圖',
    missing: '地圖還沒準備好，請過一陣子再來看看 🙏',
  },
  walk: {
    title: '我的進香',
    text: '在這裡加入、記錄路線、打卡，也看得到您走過的路和您的資料。記錄路線時，請讓手機螢幕亮著。',
    open: '打開我的進香',
    missing: '「我的進香」還沒準備好，請過一陣子再來看看。傳位置給我，一樣可以打卡 🙏',
  },
  family: {
    title: '讓家人看到您在哪裡',
    text: '打開「我的進香」，做一個連結傳給家人。連結到期就失效，您也可以隨時收回。',
    open: '做家人連結',
    missing: '家人連結還沒準備好，請過一陣子再來看看 🙏',
  },
  phones: {
    title: '手機定位',
    text: '螢幕關著也想記錄，可以用定位 App。打開「我的進香」，照著做；不會弄，請找工作人員幫忙。',
    open: '設定手機定位',
    missing: '手機定位還沒準備好，請過一陣子再來看看。傳位置給我，一樣可以打卡 🙏',
  },
  lost: {
    title: '走失了，或有危險嗎？',
    text: '請先撥 110；有人受傷或不舒服，撥 119。有人走失，再告訴我們，附近的志工會幫忙找。找到人了，也請告訴我們。',
    open: '通報走失',
    missing: '請撥 110；有人受傷或不舒服，撥 119。也請馬上告訴身邊的工作人員 🙏',
  },
  survey: {
    title: '進香問卷',
    text: '花三分鐘填一填，幫您算出減碳成果，也能拿到成就卡。',
    open: '填問卷',
    missing: '問卷還沒準備好，請過一陣子再來看看 🙏',
  },
  feedback: {
    title: '有話跟我們說',
    text: '遇到問題、有好建議，或想謝謝誰，都歡迎告訴我們。緊急狀況請直接撥 119。',
    open: '我要回報',
    missing: '回報的頁面還沒準備好，請先告訴身邊的工作人員。緊急狀況請直接撥 119 🙏',
  },
}
