/** Vermilion, gold, paper and ink; words on paper keep a contrast of 4.5 to 1. */
export const COLOURS = {
  vermilion: '#B3261E',
  gold: '#D99A2B',
  paper: '#FFFAF2',
  track: '#F0E3D0',
  ink: '#2B2118',
  quiet: '#6B5B4B',
  white: '#FFFFFF',
  pale: '#FFE9C7',
} as const
