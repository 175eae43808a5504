/**
 * Bidirectional controls (U+202A to U+202E, U+2066 to U+2069), which turn the text around a name. They are removed, not
 * refused, because names pasted from a chat carry them invisibly.
 */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** The name as stored; '' when nothing is left. */
export const plainName = (name: string): string => name.replace(BIDI_CONTROLS, '').trim()
