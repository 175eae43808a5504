/** Bidirectional controls, which turn the text around a name; names pasted from a chat carry them. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** The name as stored; '' when nothing is left. */
export const plainName = (name: string): string => name.replace(BIDI_CONTROLS, '').trim()
