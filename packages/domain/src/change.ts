/** The verdict on a requested change of state: whether anything changes, or the message of a 409. */
export type Change = { changed: boolean } | { refused: string }
