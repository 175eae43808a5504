import { zhTwLinks } from './links-zh-tw.ts'

/** 繁體中文，台灣用語：說給七十歲的阿嬤聽，二十歲的孫子也覺得自然。 */
export const zhTw = {
  /** Above the first line of a welcome where no name is known. */
  unnamed: '香客',
  welcome: (who: string, event: string) =>
    `${who}，平安 🙏\n歡迎一起走「${event}」！\n\n我會陪您走這一路：\n📍 傳位置給我，就是打卡\n📷 傳照片給我，幫您收好\n🚶 點「我的里程」，看走了多遠\n\n想做什麼，點下面的按鈕就好。\nEnglish? Tap “English” below.`,
  help: '我可以幫您這些忙 😊\n\n📍 打卡：把位置傳給我\n📷 照片：直接傳給我就好\n🚶 里程：走了多遠、第幾級\n🎖 成就卡：可以分享的紀念卡\n🏮 媽祖在哪：鑾轎現在的位置\n🗺 地圖：大家走到哪裡了\n👣 我的進香：記錄路線、我的資料\n👪 家人：讓家人看到您在哪裡\n📱 手機定位：用 App 自動記錄\n🆘 走失：有人走失，或找到人\n📝 問卷：算出您的減碳成果\n💬 回報：有問題跟我們說\n\n其他：\n「停止通知」「恢復通知」\n「刪除我的資料」「English」\n\n點下面的按鈕，或直接打字都可以。',
  puzzled: '不好意思，這句我還聽不懂 😅\n點下面的按鈕，或打「說明」兩個字，我教您怎麼用。',
  oldButton: '這個按鈕太舊了，現在不能用囉。\n請點下面的按鈕，或打「說明」。',
  away: '系統現在有點忙，請過一會兒再試一次 🙏\n您的紀錄都還在，請放心。',

  checkinHow:
    '請點下面的「📍 傳送位置」，把您現在的位置傳給我，就打卡完成了。\n\n請先停下腳步再看手機，安全第一喔！',
  checkedIn: (place: string | null) =>
    `打卡成功 📍${place ? `\n${place}` : ''}\n\n一步一腳印，辛苦了！記得喝口水、休息一下 🙏`,
  paused: '活動現在暫停中，剛剛的位置沒有記下來。\n先休息一下、喝杯茶 🍵 活動恢復後，再請您打卡一次。',
  ended: '這次的活動已經圓滿結束，不再收打卡了。\n謝謝您一路同行 🙏 想回味，點「我的里程」或「成就卡」。',
  withdrawn:
    '您之前已經退出這次活動，所以位置不會記下來。\n想再一起走，請洽工作人員，或到活動頁面改回「參加」。',
  noPlace: '這個位置我讀不到，麻煩您再傳一次 🙏',

  photoKept: (count: number) => `照片收到了 📷\n您一共傳了 ${count} 張，都幫您收好了。`,
  photoBroken: '這張照片我打不開，請換一張（JPG 或 PNG）再試試看 🙏',
  photoTooLarge: '這張照片太大了，我收不下。請傳小一點的（10 MB 以內）🙏',

  statistics: {
    title: '我的進香紀錄',
    noLevel: '準備出發',
    level: (level: number) => `第 ${level} 級`,
    walked: '走了',
    kilometres: (km: number) => `${km} 公里`,
    checkins: '打卡',
    times: (count: number) => `${count} 次`,
    photos: '照片',
    pictures: (count: number) => `${count} 張`,
    avoided: '減碳',
    kilograms: (kg: number) => `${kg} 公斤`,
    firstStep: (title: string) => `打卡一次，就成為「${title}」！`,
    toGo: ({ km, checkins, title }: { km: number; checkins: number; title: string }) =>
      `再${[km > 0 ? `走 ${km} 公里` : '', checkins > 0 ? `打卡 ${checkins} 次` : ''].filter(Boolean).join('、')}，就升上「${title}」`,
    top: '已經是最高等級，功德圓滿！',
    open: '看我走過的路',
    spoken: ({ km, checkins, title }: { km: number; checkins: number; title: string | null }) =>
      `您走了 ${km} 公里，打卡 ${checkins} 次${title ? `，現在是「${title}」` : ''}。`,
  },

  card: '這是您的紀念卡 🎖\n長按圖片就能存起來，或轉傳給親朋好友。',
  cardSpoken: '您的紀念卡',
  noCard: '紀念卡還沒準備好，請過一陣子再來看看 🙏',
  links: zhTwLinks,

  /** Below the sentence that the palanquin has no position yet. */
  whereLater: '鑾轎一出發，我就能告訴您。',
  /** Below the sentence that its position is not available. */
  whereAway: '請過一會兒再問我一次，或打開地圖看看 🙏',

  whichLanguage: '想用哪一種語言？\nWhich language would you like?',
  languageChosen: '好的，之後都用中文跟您說 😊',
  stopped: '好的，之後不會再主動傳訊息打擾您 🔕\n打卡、查里程還是可以用。想再收到通知，打「恢復通知」就好。',
  resumed: '好的，之後有消息會通知您 🔔',

  eraseQuestion: '真的要刪除您的資料嗎？\n里程、打卡、照片、問卷、電話和紀念卡都會永遠刪除，救不回來喔。',
  eraseYes: '確定刪除',
  eraseNo: '不要刪除',
  eraseTooLate: '這個按鈕已經過期了，資料沒有刪除。\n真的要刪除的話，請再打一次「刪除我的資料」。',
  erased:
    '您的資料已經全部刪除了。\n謝謝您曾經一起走過，祝您平安 🙏\n\n之後再傳訊息給我，就會重新開始新的紀錄。',
  erasing: '收到了，正在刪除您的資料。\n系統現在比較忙，我會一直處理到刪完為止。',
  notErased: '好的，資料都還在，我們繼續一起走 😊',

  phoneLink:
    '螢幕關著也想記錄，可以用定位 App。按下面的按鈕，選 App，照著做。這個連結只給您用，15 分鐘內有效，請不要傳給別人；過期了，再跟我說一次「手機定位」。不會弄，請找工作人員幫忙。',
  groupHelp: (event: string) =>
    `大家好，我是「${event}」的小幫手 🙏\n在群組裡可以問我：/媽祖在哪、/地圖、/走失、/問卷、/回報\n打卡、里程和成就卡是個人的，請加我好友，私訊我就好。`,
  groupPrivate: '這個是個人的資料，群組裡不方便說。請私訊我，馬上告訴您 😊',

  /** 20 UTF-16 units at the most. */
  buttons: {
    sendLocation: '📍 傳送位置',
    sendPhoto: '📷 傳照片',
    checkin: '📍 打卡',
    mileage: '🚶 我的里程',
    card: '🎖 成就卡',
    where: '🏮 媽祖在哪',
    map: '🗺 地圖',
    walk: '👣 我的進香',
    family: '👪 家人',
    phones: '📱 手機定位',
    lost: '🆘 走失',
    survey: '📝 填問卷',
    feedback: '💬 回報',
    help: '❓ 說明',
    otherLanguage: '🌐 English',
    resume: '🔔 恢復通知',
  },
}

/** All texts of the bot in one language. Functions take what varies. */
export type Texts = typeof zhTw
