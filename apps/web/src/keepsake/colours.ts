/** One colour a day: 3:1 against the land (WCAG 1.4.11) and distinct from its neighbours, as the test measures. */
export const DAY_COLOURS = {
  light: [
    ...['#b3261e', '#1d5fb0', '#7d5a00', '#0b4f6c', '#3d6b12'],
    ...['#23355f', '#00736a', '#5c1a1a', '#6a2fa3'],
  ],
  dark: [
    ...['#ff8a70', '#e6e9ff', '#ffb066', '#8ab8ff', '#ffd98a'],
    ...['#c99bff', '#b4e676', '#9aa5ff', '#fff3c4'],
  ],
} as const

/** What lies under the lines: the land of the map's style, and that of the gaps' lines. */
export const GROUND = {
  light: {
    sea: '#cfdde6',
    land: '#fbf3e6',
    border: '#d9c4a4',
    gap: '#6d5a45',
    ink: '#2d2136',
    number: '#ffffff',
  },
  dark: {
    sea: '#1b1730',
    land: '#2a2244',
    border: '#4c3f6e',
    gap: '#d6cbe8',
    ink: '#f6ecdf',
    number: '#1b1730',
  },
} as const

export type Scheme = keyof typeof DAY_COLOURS

/** The colour of the day at an index; after the ninth they begin again. */
export const dayColour = (index: number, scheme: Scheme): string => {
  const colours = DAY_COLOURS[scheme]
  return colours[index % colours.length] ?? colours[0]
}
