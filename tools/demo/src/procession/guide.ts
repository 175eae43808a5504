import type { NoticeBody, PlaceBody } from '@palanquin/domain/guide'

/** What waits for the pilgrims of the demo on the first days. */
export const PLACES: readonly PlaceBody[] = (
  [
    ['rest', '白沙屯拱天宮香客大樓', 'Gongtian Temple pilgrim hall', 24.5668, 120.7095],
    ['toilet', '通霄慈惠宮公廁', 'Toilets at Cihui Temple, Tongxiao', 24.4893, 120.6779],
    ['supply', '苑裡市場補給站', 'Food and water at Yuanli market', 24.4415, 120.6528],
    ['medical', '大甲醫護站', 'First aid, Dajia', 24.3449, 120.6233],
    ['supply', '清水紫雲巖點心站', 'Snacks at Ziyun Temple, Qingshui', 24.2676, 120.5772],
    ['pickup', '沙鹿：累了請上車', 'Shalu: tired? Get on', 24.2343, 120.5675],
    ['toilet', '彰化南瑤宮公廁', 'Toilets at Nanyao Temple, Changhua', 24.0713, 120.5423],
    ['rest', '員林國小休息站', 'Rest at Yuanlin school', 23.9584, 120.5716],
    ['medical', '西螺醫護站', 'First aid, Xiluo', 23.7987, 120.4651],
    ['rest', '北港朝天宮', 'Chaotian Temple, Beigang', 23.5679, 120.3047],
  ] as const
).map(([kind, zh, en, lat, lng]) => ({ kind, name: { zh, en }, note: null, lat, lng }))

export const NOTICE: NoticeBody = {
  level: 'info',
  zh: '這是演練：鑾轎與香客都是模擬的。',
  en: 'This is a rehearsal: palanquin and pilgrims are simulated.',
  until: null,
}

/** The phones that carry the palanquin in turn. */
export const CARRIERS = ['demo-carrier-1', 'demo-carrier-2', 'demo-carrier-3'] as const
export const PALANQUIN = {
  kind: 'palanquin',
  name: { zh: '白沙屯媽祖鑾轎', en: 'Mazu palanquin' },
  devices: [...CARRIERS],
} as const
