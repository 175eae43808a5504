/** The questionnaire as data. The ids and what each asks for are fixed by the contract (section 2). */
import Type, { type Static } from 'typebox'

const text = (description: string) => Type.String({ minLength: 1, description })
const bound = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

export const Question = Type.Object({
  id: Type.String({ pattern: '^q\\d+$', description: 'the name of its answer' }),
  type: Type.Enum(['choices', 'choice', 'transport', 'integer', 'text'], {
    description: 'choices: any of them; choice: one; transport: kilometres by mode; integer; text',
  }),
  required: Type.Boolean({ description: 'whether it must be answered' }),
  textZh: text('the question in Chinese'),
  textEn: text('the question in English'),
  choices: Type.Optional(
    Type.Array(
      Type.Object({
        value: text('what is sent; of transport the mode'),
        textZh: text('the choice in Chinese'),
        textEn: text('the choice in English'),
      }),
      { description: 'what may be chosen' },
    ),
  ),
  ownWords: Type.Optional(
    Type.Boolean({
      description: 'whether own words are taken besides the choices; of transport other modes',
    }),
  ),
  choicesMax: bound('how many choices, or modes of transport, one answer may have'),
  charactersMax: bound('how long each of them may be'),
  kmMax: bound('kilometres by one mode'),
  min: Type.Optional(Type.Integer({ description: 'least value of an integer, or characters of a text' })),
  max: Type.Optional(Type.Integer({ description: 'greatest value of an integer, or characters of a text' })),
})
export type Question = Static<typeof Question>

function choice(value: string, textZh: string, textEn: string) {
  return { value, textZh, textEn }
}

/** Contract section 2: how many strings an answer of choices may have, and how long each. */
const OF_CHOICES = { ownWords: true, choicesMax: 20, charactersMax: 200 } as const
const OF_CHOICE = { ownWords: true, charactersMax: 200 } as const
/** More modes than a journey has, and twice the circumference of the Earth: they bound one answer. */
const OF_TRANSPORT = { ownWords: true, choicesMax: 50, charactersMax: 200, kmMax: 80_000 } as const

/** The questions by id; `QUESTIONS` has them in the order in which they are asked. */
export const QUESTION = {
  q1: {
    id: 'q1',
    type: 'choices',
    required: true,
    textZh: '這趟進香途中，您做過或看見了哪些善行？',
    textEn: 'Which good deeds did you do, or see others do, along the way?',
    ...OF_CHOICES,
    choices: [
      choice(
        'helped-walkers',
        '攙扶走不動的香客，或幫忙提行李',
        'Lent an arm to a tired walker, or carried a bag',
      ),
      choice('shared-food', '準備茶水、點心與人結緣', 'Offered food and drink to strangers'),
      choice('picked-litter', '沿路撿拾垃圾', 'Picked up litter along the road'),
      choice('gave-way', '禮讓長輩、孩童與身障朋友', 'Let the old, the young and the disabled go first'),
      choice('kept-safe', '幫忙指路、維護行路安全', 'Showed the way, or watched over the traffic'),
      choice('donated', '捐獻或投入志工服務', 'Donated, or served as a volunteer'),
    ],
  },
  q2: {
    id: 'q2',
    type: 'choices',
    required: true,
    textZh: '一路上最讓您感動的是什麼？',
    textEn: 'What moved you most on the way?',
    ...OF_CHOICES,
    choices: [
      choice(
        'palanquin',
        '媽祖鑾轎來到面前、稜轎腳的那一刻',
        'The moment the palanquin passed, or passed over me',
      ),
      choice('hospitality', '沿途鄉親毫無保留的款待', 'The open-handed welcome of the people along the road'),
      choice('companions', '素不相識的香客互相扶持', 'Strangers on the walk holding each other up'),
      choice('elders', '長輩們一步一步堅持到底', 'Old people who kept on, step after step'),
      choice(
        'incense-tables',
        '家家戶戶設香案迎接媽祖',
        'Incense tables set out before every house for Mazu',
      ),
      choice('myself', '自己撐過來、走完的那一刻', 'Finding that I could walk it myself'),
    ],
  },
  q3: {
    id: 'q3',
    type: 'transport',
    required: true,
    textZh: '您往返進香路線搭乘了哪些交通工具？來回大約各幾公里？',
    textEn: 'How did you travel to the procession and back, and about how many kilometres by each means?',
    ...OF_TRANSPORT,
    choices: [
      choice('walk', '步行', 'On foot'),
      choice('bike', '自行車', 'Bicycle'),
      choice('scooter', '機車', 'Scooter'),
      choice('car', '汽車', 'Car'),
      choice('bus', '公車、客運或遊覽車', 'Bus or coach'),
      choice('mrt', '捷運', 'Metro (MRT)'),
      choice('train', '臺鐵火車', 'Train'),
      choice('hsr', '高鐵', 'High-speed rail'),
    ],
  },
  q4: {
    id: 'q4',
    type: 'choices',
    required: true,
    textZh: '這一路上，您為環境做了哪些事？',
    textEn: 'What did you do for the environment on the way?',
    ...OF_CHOICES,
    choices: [
      choice('own-cup', '自備水壺與環保餐具', 'Brought my own bottle and cutlery'),
      choice('refilled', '在奉茶站或飲水機補水', 'Refilled at tea stands and water points'),
      choice('sorted-waste', '垃圾分類，或把垃圾帶回家', 'Sorted my rubbish, or took it home'),
      choice('less-smoke', '少燒金紙、少放鞭炮', 'Burnt less joss paper, let off fewer firecrackers'),
      choice('public-transport', '搭乘大眾運輸前來', 'Came by public transport'),
      choice('finished-meals', '取用適量，不浪費食物', 'Took only what I could eat'),
    ],
  },
  q5: {
    id: 'q5',
    type: 'integer',
    required: true,
    textZh: '進香期間，您住了幾晚旅館或民宿？',
    textEn: 'How many nights did you spend in a hotel or guest house?',
    min: 0,
    max: 60,
  },
  q6: {
    id: 'q6',
    type: 'choice',
    required: true,
    textZh: '途中的三餐，您大多怎麼吃？',
    textEn: 'What did you mostly eat on the way?',
    ...OF_CHOICE,
    choices: [
      choice('vegetarian', '全程吃素', 'Vegetarian all the way'),
      choice('mostly-vegetarian', '吃素為主', 'Mostly vegetarian'),
      choice('mixed', '葷素都有', 'Some of both'),
      choice('mostly-meat', '葷食為主', 'Mostly with meat'),
    ],
  },
  q7: {
    id: 'q7',
    type: 'integer',
    required: true,
    textZh: '途中您大約買了幾瓶瓶裝水？（以 500 毫升計）',
    textEn: 'About how many bottles of water (of 500 ml) did you buy on the way?',
    min: 0,
    max: 1000,
  },
  q8: {
    id: 'q8',
    type: 'integer',
    required: true,
    textZh: '您大約回收了幾個寶特瓶？',
    textEn: 'About how many bottles did you recycle?',
    min: 0,
    max: 1000,
  },
  q9: {
    id: 'q9',
    type: 'integer',
    required: true,
    textZh: '在這次之前，您參加過幾次媽祖進香？',
    textEn: 'How many times had you joined a Mazu procession before this one?',
    min: 0,
    max: 200,
  },
  q10: {
    id: 'q10',
    type: 'text',
    required: false,
    textZh: '還有什麼話想告訴我們嗎？',
    textEn: 'Is there anything else you would like to tell us?',
    max: 1000,
  },
} as const satisfies Readonly<Record<string, Question>>

/** The questionnaire in the order in which it is asked: the response of `GET /survey`. */
export const QUESTIONS: readonly Question[] = Object.values(QUESTION)
