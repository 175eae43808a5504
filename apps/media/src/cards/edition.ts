/** Which scene lies under the words of a card: that of a level (0: none yet), and whether everything is fulfilled. */
export type Edition = { level: number; unlocked: boolean }

/** A name for each of the twenty. */
export const editionOf = ({ level, unlocked }: Edition): string => `${level}${unlocked ? ' fulfilled' : ''}`
