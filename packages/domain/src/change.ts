/** The verdict on a wished change of state: whether anything changes, or the sentence that refuses it (a 409). */
export type Change = { changed: boolean } | { refused: string }
