/**
 * Embeddings, overrides and isolates of the bidirectional algorithm (U+202A to U+202E, U+2066 to U+2069): they turn
 * the text around a name on a card or a list. They are removed, not refused: names pasted from a chat carry them
 * unseen, and nobody could find out what to correct.
 */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** A name as it is kept; '' when nothing is left of it. */
export const plainName = (name: string): string => name.replace(BIDI_CONTROLS, '').trim()
