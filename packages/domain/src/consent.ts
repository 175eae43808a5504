/** The privacy notice that people consent to. Web face, section 4. */
import Type, { type Static } from 'typebox'

export const ConsentText = Type.Object({
  version: Type.String({ description: 'CONSENT_VERSION: what POST /privacy records with a consent' }),
  zh: Type.String({ description: 'the notice in Chinese: paragraphs, never markup' }),
  en: Type.String({ description: 'the notice in English' }),
})
export type ConsentText = Static<typeof ConsentText>

/** What the notice says until the organisers have written their own. */
export const DEFAULT_CONSENT = {
  zh: `本活動會記錄您的位置、打卡、里程與您填寫的問卷，用來計算里程與等級，並讓大家看見隊伍的位置。

沒有您的同意，您的位置不會出現在公開地圖上，也不會被計入人潮。

您可以隨時收回同意、退出活動、下載或要求刪除您的資料。備份中的資料會在主辦單位公布的期限內刪除。`,
  en: `This activity records your position, your check-ins, your distance and the survey that you fill in, to compute distance and level and to show where the procession is.

Without your consent your position is not on the public map, and you are not counted in the crowd.

At any time you can take your consent back, withdraw, download your data or have them erased. Data in backups are deleted by the date that the organisers publish.`,
} as const
